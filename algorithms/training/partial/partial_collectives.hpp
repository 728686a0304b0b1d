#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/schedules/schedule.hpp"
#include "algorithms/training/shared/bucket.hpp"
#include "base/options/option_visitor.hpp"
#include "sim/buffer.hpp"
#include "sim/worker.hpp"
#include "workloads/records/participation.hpp"

namespace starling {

/// Who starts a version of the operations.
struct VersionStart {
  enum class By {
    anyone,     // whoever calls first (solo)
    initiator,  // one rank's call (majority)
    everyone,   // nobody else: each rank takes part when it calls, so all wait for the last
  };
  By by = By::anyone;
  Rank initiator = -1;
};

/// The partial collectives of a job, the same for all of its workers: some operations (one per tensor or
/// bucket), each executed once per version (iteration).
struct PartialCollectivePlan {
  /// Elements of every operation.
  std::vector<std::int64_t> counts;
  std::int64_t versions = 0;
  std::function<VersionStart(std::int64_t version)> start;
  /// What is done with the contributions. The schedule must stay until the run ends.
  std::function<const Schedule&(int operation, std::int64_t version)> schedule;
  /// One operation after the other, in order, version by version; else operations run side by side.
  bool is_serialized = true;
  /// What is taken from a send buffer leaves zeros behind; else it stays there, to be taken again.
  bool empties_send_buffers = true;
  /// What a call costs the worker that makes it, late or not, beside what it starts.
  double call_s = 0;
  /// Names of the layers that an operation is about, for timelines.
  std::function<std::string(int operation)> layers = {};
};

/// The plan with the names of the layers of every bucket, each an operation. Model and buckets must stay.
PartialCollectivePlan with_layers(PartialCollectivePlan plan, const Model& model,
                                  const std::vector<Bucket>& buckets);

/// @throws std::invalid_argument, beginning with `whose`, unless the workers are a power of two.
void require_power_of_two(std::string_view whose, int workers);

/// The options that say what the operations of a partial collective are, and what calling one costs.
void describe_operations(double& bucket_bytes, bool& is_serialized, double& operation_cost_s,
                         OptionVisitor& visitor);

/// One worker's part in partial collectives: operations that need not wait for it, because strands in the
/// background take part with whatever its send buffer holds.
///
/// Activation of version v of an operation: the rank that starts it notifies rank XOR 2^i for all i; a rank
/// that is notified on dimension i ignores that if it knows already, else notifies on dimensions i+1 … and
/// takes part. So everyone is reached over at most log₂P messages, however many ranks start it at the same
/// time. A notification for a later version is not looked at before the operation's current version has ended
/// here: a rank never runs two versions of one operation at once.
///
/// Taking part: what the send buffer holds at this instant (fresh, stale or zero) is copied, and the copy
/// goes through the operation's schedule.
///
/// Every rank makes one call, contribute() or skip(), per operation and version, in the same order, and waits
/// for all operations of a version before the next. The worker's notifications, and tags from `first_tag` on
/// (one, or one per operation if they run side by side), belong to the object. When a rank has waited for all
/// versions nobody needs it any more; the strands stay until the run ends.
///
/// Reference: Li et al., "Taming unbalanced training workloads in deep learning with partial collective
/// operations", PPoPP 2020, section 4.
class PartialCollectives {
 public:
  /// Starts the strands. Buffers are real if `like` is.
  /// @throws std::invalid_argument unless the world's ranks are a power of two.
  PartialCollectives(Worker& worker, PartialCollectivePlan plan, const Buffer& like, Tag first_tag,
                     ParticipationNotes participation);

  /// What this rank would contribute now; zeros at first.
  Buffer send_buffer(int operation);

  /// True if the operation's next version has begun on this rank: what is contributed now is late for it.
  bool is_late(int operation) const;

  /// The call: the send buffer now holds this version's contribution. Starts the version if that is this
  /// rank's part. Returns at once; false if the contribution is late, and stays for a later version.
  bool contribute(int operation);
  /// The call of a rank that is late and has nothing to add.
  void skip(int operation);

  /// Returns when the version of the last call has ended here. `result` is then the newest version's.
  void wait(int operation, Buffer result);

 private:
  class Engine;
  std::shared_ptr<Engine> engine_;  // shared with the strands, which outlive the caller's
};

}  // namespace starling
