#pragma once

#include "scenarios/description/engine.hpp"

namespace starling {

/// How much of what a run does, as far as time and memory go by that. What is said of an iteration is of all
/// workers together.
struct RunShape {
  double workers = 1;
  double iterations = 0;    // that are simulated
  double logged_bytes = 0;  // in memory, of all iterations of all workers
  Engine engine = Engine::fair;
  bool has_workers = true;     // none where the run is evaluated as a whole
  double rings = 0;            // evaluated, in an iteration,
  double ring_messages = 0;    // and what they stand for
  double other_messages = 0;   // evaluated, of other collectives and of whole runs
  double messages_along = 0;   // sent along rings, where one takes little time for the other,
  double messages_across = 0;  // and between any workers
  double frames = 0;           // of what is sent
  double flows = 1;            // that a worker has under way at once
  double collectives = 0;      // that a worker takes part in, in an iteration
};

/// What a run with data does besides, of all workers and iterations.
struct LearningShape {
  double operations = 0;        // on numbers, of gradients and losses
  double updated_elements = 0;  // of models, that are averaged, updated and compared
  double kept_elements = 0;     // of models, gradients and optimizers
};

/// What to find out about a run besides its times. Under `fair` rings are evaluated all the same; other
/// collectives then go message by message.
struct Watching {
  bool links = false;
  bool critical_path = false;

  bool anything() const { return links || critical_path; }
};

/// About what a run takes on one core.
struct RunEffort {
  double time_s = 0;
  double memory_bytes = 0;
};

/// Within a factor of three for the runs that its figures were measured with (README.md).
RunEffort effort_of(const RunShape& shape, const Watching& watching = {});

/// What it takes more to learn.
RunEffort effort_of(const LearningShape& shape);

/// What it takes more to write a timeline of this run, all of whose messages are sent.
double timeline_s(const RunShape& shape);

}  // namespace starling
