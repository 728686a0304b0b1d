#include "sim/worker.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace starling {

void Worker::check_peer(Rank peer, Tag tag, const char* operation) const {
  if (peer >= 0 && peer < world_size()) return;
  throw CommunicationError(fmt::format("rank {} cannot {} rank {} (tag {}): ranks are 0 … {}", rank(),
                                       operation, peer, tag, world_size() - 1));
}

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
