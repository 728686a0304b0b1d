#pragma once

namespace starling {

/// What is true of an algorithm, whatever its options and the cluster.
struct TrainingTraits {
  /// Every iteration ends with the same model everywhere, for which every worker waits for all others.
  bool is_synchronous = false;
  /// An iteration ends before its last messages, so the first one, which has none from before, is shorter.
  bool ends_before_its_messages = false;
  /// Its forward pass waits for the iteration before to have ended everywhere.
  bool forward_waits = false;
  /// Its workers also wait for each other in the midst of an iteration.
  bool waits_in_between = false;
  /// Its workers send nothing before their backward passes have ended.
  bool sends_after_backward = false;
  /// It sends the same in every iteration, however long anything takes.
  bool sends_always_the_same = false;

  // What its options bring besides what all must bring; AlgorithmOptions tells what each of these means.
  bool has_period = false;
  bool has_averaging_period = false;
  bool has_mixing_matrix = false;
  bool has_operation_cost = false;
  bool has_overlap = false;
  bool uses_collective = false;
};

}  // namespace starling
