#include "sim/worker.hpp"

namespace starling {

void Worker::run_exchanges(ExchangeSequence& sequence, Tag tag) {
  Exchange exchange;
  while (sequence.next(exchange)) {
    Request receiving;
    Request sending;
    if (exchange.source >= 0) receiving = irecv(exchange.incoming, exchange.source, tag);
    if (exchange.destination >= 0) sending = isend(exchange.outgoing, exchange.destination, tag);
    wait(receiving);
    wait(sending);
    if (exchange.is_reducing) accumulate(exchange.sum, exchange.incoming);
  }
}

}  // namespace starling
