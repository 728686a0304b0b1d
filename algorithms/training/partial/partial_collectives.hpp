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

/// Which rank's call starts a version of the operations.
struct VersionStart {
  enum class By {
    anyone,     // the rank that calls first (solo)
    initiator,  // one given rank (majority)
    everyone,   // each rank takes part when it calls, so all wait for the last one
  };
  By by = By::anyone;
  Rank initiator = -1;
};

/// The partial collectives of a job, equal for all of its workers: a number of operations (one per tensor or
/// bucket), each of which is executed once per version (iteration).
struct PartialCollectivePlan {
  /// The number of elements of each operation.
  std::vector<std::int64_t> counts;
  std::int64_t versions = 0;
  std::function<VersionStart(std::int64_t version)> start;
  /// The collective that combines the contributions. The schedule must live until the run ends.
  std::function<const Schedule&(int operation, std::int64_t version)> schedule;
  /// Whether operations run one after the other, in order, version by version; else concurrently.
  bool is_serialized = true;
  /// Whether a send buffer is set to zero when its contents are taken; else they stay, to be taken again.
  bool empties_send_buffers = true;
  /// The time that a call takes its worker, late or not.
  double call_s = 0;
  /// The names of an operation's layers, for timelines.
  std::function<std::string(int operation)> layers = {};
};

/// Adds the names of the layers to a plan whose operations are these buckets. Model and buckets must outlive
/// the plan.
PartialCollectivePlan with_layers(PartialCollectivePlan plan, const Model& model,
                                  const std::vector<Bucket>& buckets);

/// @throws std::invalid_argument with a message that begins with `whose`, unless the number of workers is a
/// power of two.
void require_power_of_two(std::string_view whose, int workers);

/// Describes the options that determine the operations of a partial collective, and the cost of calling one.
void describe_operations(double& bucket_bytes, bool& is_serialized, double& operation_cost_s,
                         OptionVisitor& visitor);

/// One worker's part in partial collectives: collective operations that need not wait for the worker, because
/// strands in the background contribute whatever its send buffer holds.
///
/// Activation of version v of an operation: the rank that starts it notifies rank XOR 2^i for all i. A rank
/// that is notified on dimension i ignores that if it has been activated already; else it notifies its
/// neighbors on dimensions i+1 … and takes part. So a rank is reached through at most log₂P messages, however
/// many ranks start the operation at the same time. A notification for a later version is not acted upon
/// before the operation's current version has ended here: a rank never runs two versions of one operation at
/// once.
///
/// Taking part: the contents of the send buffer at this instant (fresh, stale or zero) are copied, and the
/// operation's schedule runs on the copy.
///
/// Every rank makes one call, contribute() or skip(), per operation and version, in the same order, and waits
/// for all operations of a version before it calls the next. The object uses all notifications of the worker,
/// and tags from `first_tag` on: one, or one per operation if operations run concurrently. It may be
/// destroyed when the rank has waited for all versions; its strands stay until the run ends.
///
/// Reference: Li et al., "Taming unbalanced training workloads in deep learning with partial collective
/// operations", PPoPP 2020, section 4.
class PartialCollectives {
 public:
  /// Starts the strands. Buffers hold real data if `like` does.
  /// @throws std::invalid_argument unless the number of ranks is a power of two.
  PartialCollectives(Worker& worker, PartialCollectivePlan plan, const Buffer& like, Tag first_tag,
                     ParticipationNotes participation);

  /// The data that this rank would contribute now; zero at first.
  Buffer send_buffer(int operation);

  /// True if the next version that this rank calls has already begun here, so that a contribution would be
  /// too late for it.
  bool is_late(int operation) const;

  /// Calls the operation: the send buffer now holds the contribution to this version. Starts the version if
  /// this rank's call is to start it. Takes the time of a call, and does not wait for the operation. Returns
  /// false if the contribution is late; it then stays in the buffer for a later version.
  bool contribute(int operation);
  /// Calls the operation of a rank that is late and has nothing to add.
  void skip(int operation);

  /// Waits until the version of the last call has ended on this rank. `result` then holds the result of the
  /// newest version.
  void wait(int operation, Buffer result);

 private:
  class Engine;
  std::shared_ptr<Engine> engine_;  // shared with the strands, which may outlive this object
};

}  // namespace starling
