#pragma once

namespace starling {

/// Properties of an algorithm that depend neither on its options nor on the cluster.
struct TrainingTraits {
  /// Every worker waits for all others in every iteration, and all have the same model at its end.
  bool is_synchronous = false;
  /// An iteration ends before its last messages have arrived. The first iteration has no messages of an
  /// earlier one to wait for, and is shorter.
  bool ends_before_its_messages = false;
  /// A forward pass waits until all workers have ended the iteration before.
  bool forward_waits = false;
  /// Workers also wait for each other in the middle of an iteration.
  bool waits_within_iteration = false;
  /// A worker sends nothing before its backward pass has ended.
  bool sends_after_backward = false;
  /// The traffic is the same in every iteration, whatever the timing.
  bool sends_same_every_iteration = false;

  // Which optional members and functions the options have; AlgorithmOptions describes each.
  bool has_period = false;
  bool has_averaging_period = false;
  bool has_mixing_matrix = false;
  bool has_operation_cost = false;
  bool has_overlap = false;
  bool has_option_warnings = false;
  bool uses_collective = false;
};

}  // namespace starling
