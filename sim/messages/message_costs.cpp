#include "sim/messages/message_costs.hpp"

#include <optional>

#include "base/options/option_limit.hpp"

namespace starling {
namespace {

constexpr int most_channels = 64;
constexpr std::size_t most_protocols = 8;

void describe_bytes(double& bytes, const Option& option, OptionVisitor& visitor) {
  describe_limit(bytes, [&](std::optional<double>& given) { visitor.size(option, given); });
}

}  // namespace

void describe(MessageCosts& costs, OptionVisitor& visitor) {
  visitor.time(
      {"message_overhead",
       "o: how long each message keeps a worker's message processor busy, on sending and again when a "
       "receive takes it; sends of a round go first, and requests and answers of a rendezvous are free",
       "the transport's"},
      costs.overhead_s);
  auto rate = costs.reduction_s_per_byte > 0 ? std::optional(1 / costs.reduction_s_per_byte) : std::nullopt;
  visitor.rate({"reduction_rate",
                "1/γ: how fast received data is added; what Horovod negotiates is combined in no time",
                "absent: γ = 0"},
               rate);
  costs.reduction_s_per_byte = rate ? 1 / *rate : 0;
  describe_bytes(costs.eager_threshold_bytes,
                 {.key = "eager_threshold",
                  .meaning = "messages of more bytes wait for their receiver (rendezvous)",
                  .otherwise = "the transport's",
                  .word = "unlimited"},
                 visitor);
  describe_bytes(
      costs.send_buffer_bytes,
      {.key = "send_buffer",
       .meaning =
           "a send is complete when no more than this is left to leave its host of all that its worker has "
           "sent to the same worker, as with MPI over TCP, which sends from the sender's memory and leaves "
           "the rest to the socket's buffer, and with NCCL, whose kernels fill a buffer of that size. The "
           "engines event and simgrid look at each message alone, event at the first link of its way, even "
           "if that is a `nic_link` faster than the cable; simgrid, which does not know when one has left, "
           "completes sends of more when the message arrives. Unlimited: a send that need not wait for "
           "its receiver is complete at once, however much has not left, and one that waits when its data "
           "arrive",
       .otherwise = "the transport's",
       .word = "unlimited"},
      visitor);
  visitor.integer(
      {"channels",
       "streams between two workers, each with a window of its own (engines fair and tcp), and under tcp "
       "with `frames_at_first_link` of its own; with one under mpi_tcp, requests and answers, and what else "
       "fits in a packet (1,500 B), wait behind data of their pair in the engine fair; with several, and "
       "under any other transport, they do not. In the engine tcp they always do, as all streams of a pair "
       "are one; in event and simgrid never",
       "the transport's"},
      costs.channels, {1, most_channels});
  visitor.list(
      {"protocols", "what messages may be written as, of which the quickest for its size carries a message",
       "the transport's"},
      costs.protocols, {.greatest = most_protocols, .noun = "protocols"});
  visitor.time({"wake_up",
                "how long it takes until a worker notices what has arrived, on average: exponentially "
                "distributed, drawn from the scenario's seed; what arrives meanwhile is noticed at the same "
                "time. Above 0 nothing is evaluated in place of messages, which takes longer"},
               costs.wake_up_s);
}

}  // namespace starling
