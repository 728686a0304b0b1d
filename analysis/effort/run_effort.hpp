#pragma once

#include "scenarios/description/engine.hpp"

namespace starling {

/// The counts of a run on which its time and memory depend. Counts are per iteration, of all workers
/// together, unless stated otherwise. A message that is evaluated is one whose arrival is computed without
/// simulating it.
struct RunShape {
  double workers = 1;
  double iterations = 0;    // that are simulated, per worker
  double logged_bytes = 0;  // records in memory, of all iterations
  Engine engine = Engine::fair;
  bool has_workers = true;     // false if the run is evaluated as a whole, without simulated workers
  double rings = 0;            // evaluated ring all-reduces
  double ring_messages = 0;    // evaluated messages of these rings
  double other_messages = 0;   // evaluated messages of other collectives and of whole runs
  double messages_along = 0;   // simulated messages along rings, which are cheap to simulate
  double messages_across = 0;  // simulated messages between any workers
  double frames = 0;           // of all simulated messages
  double flows = 1;            // messages of one worker in flight at once
  double collectives = 0;      // that one worker takes part in
};

/// What a run with real data does in addition, in all iterations of all workers.
struct LearningShape {
  double operations = 0;        // arithmetic operations for gradients and losses
  double updated_elements = 0;  // elements of models that are averaged, updated and compared
  double kept_elements = 0;     // elements of models, gradients and optimizer states
};

/// What is recorded about a run besides its times. Under `fair`, rings are evaluated all the same; other
/// collectives are then simulated message by message.
struct Watching {
  bool links = false;
  bool critical_path = false;

  bool anything() const { return links || critical_path; }
};

/// The estimated cost of a run on one core.
struct RunEffort {
  double time_s = 0;
  double memory_bytes = 0;
};

/// The effort of a run, within a factor of three for the runs that its constants were fitted to (README.md).
RunEffort effort_of(const RunShape& shape, const Watching& watching = {});

/// The additional effort of learning.
RunEffort effort_of(const LearningShape& shape);

/// The additional time of writing a timeline of a run all of whose messages are simulated.
double timeline_s(const RunShape& shape);

}  // namespace starling
