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
  visitor.time({"message_overhead",
                "o: how long each message occupies a worker's message processor, once when it is sent and "
                "once when a receive takes it; sends of a round precede its receives, and requests and "
                "answers of a rendezvous are free",
                "the transport's"},
               costs.overhead_s);
  auto rate = costs.reduction_s_per_byte > 0 ? std::optional(1 / costs.reduction_s_per_byte) : std::nullopt;
  visitor.rate({"reduction_rate",
                "1/γ: bytes per second at which a worker adds received data, one array at a time: those of "
                "concurrent operations (eager-SGD with `serialized: false`) queue; messages of Horovod's "
                "negotiation are combined in no time",
                "absent: γ = 0"},
               rate);
  costs.reduction_s_per_byte = rate ? 1 / *rate : 0;
  describe_bytes(costs.eager_threshold_bytes,
                 {.key = "eager_threshold",
                  .meaning = "larger messages wait until their receiver is ready (rendezvous)",
                  .otherwise = "the transport's",
                  .word = "unlimited"},
                 visitor);
  describe_bytes(
      costs.send_buffer_bytes,
      {.key = "send_buffer",
       .meaning = "a send is complete when, of all data that its worker has sent to the same receiver, at "
                  "most this much has yet to leave the host: with MPI over TCP the rest is in the socket's "
                  "buffer, with NCCL in a buffer of this size that kernels fill. The engines event and "
                  "simgrid look at each message alone: event at the first link of its route, even if that is "
                  "a `nic_link` faster than the cable; simgrid, which does not know when a message has left, "
                  "completes larger sends when the message arrives. Unlimited: a send that need not wait for "
                  "its receiver is complete at once, and one that waits is complete when its data arrive",
       .otherwise = "the transport's",
       .word = "unlimited"},
      visitor);
  visitor.integer({"channels",
                   "number of streams between two workers, each with a window of its own (engines fair and "
                   "tcp) and `frames_at_first_link` of its own (engine tcp). Requests, answers and other "
                   "messages of at most a packet (1,500 B) wait behind data of the same pair of workers: in "
                   "the engine fair only with one channel under mpi_tcp; in the engine tcp always, as it "
                   "simulates all streams of a pair as one; in event and simgrid never",
                   "the transport's"},
                  costs.channels, {1, most_channels});
  visitor.list({"protocols", "protocols of messages; each message takes the one that is fastest for its size",
                "the transport's"},
               costs.protocols, {.greatest = most_protocols, .noun = "protocols"});
  visitor.time({"wake_up",
                "mean time until a worker notices an arrived message: exponentially distributed, drawn from "
                "the scenario's seed; messages that arrive meanwhile are noticed at the same time. Above 0 "
                "all messages are simulated one by one, which takes longer"},
               costs.wake_up_s);
}

}  // namespace starling
