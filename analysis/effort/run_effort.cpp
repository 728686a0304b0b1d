#include "analysis/effort/run_effort.hpp"

#include <algorithm>
#include <cmath>

namespace starling {
namespace {

constexpr double microsecond = 1e-6;

constexpr double program_bytes = 11e6;
constexpr double simgrid_bytes = 30e6;
constexpr double worker_bytes = 13e3;             // of a simulated worker with its strands
constexpr double worker_without_run_bytes = 2e3;  // of a worker of a run that is evaluated
constexpr double collective_bytes = 200;          // per worker and collective that is simulated by messages
constexpr double flow_bytes = 900;
constexpr double path_of_worker_bytes = 12e3;
constexpr double path_of_message_bytes = 40;

constexpr double worker_s = 80 * microsecond;
constexpr double iteration_of_worker_s = 2.5 * microsecond;

// The number of different states among the workers of a ring grows more slowly than the number of workers.
constexpr double ring_of_worker_s = 0.25 * microsecond;  // times the root of the workers
constexpr double evaluated_message_s = 0.04 * microsecond;
constexpr double links_of_ring_message_s = 0.012 * microsecond;
constexpr double path_of_ring_message_s = 0.035 * microsecond;

// How much longer messages take if links or the critical path are recorded.
constexpr double links_factor = 1.5;
constexpr double path_factor = 2;
constexpr double drawn_message_s = 0.4 * microsecond;

constexpr double learned_operation_s = 7e-5 * microsecond;
constexpr double updated_element_s = 0.005 * microsecond;

constexpr double fair_message_along_s = 0.4 * microsecond;
constexpr double fair_message_across_s = 0.08 * microsecond;  // times the root of the workers
constexpr double fair_flow_s = 0.11 * microsecond;  // per message and flow that it shares links with
constexpr double event_message_s = 0.45 * microsecond;
constexpr double event_flow_s = 0.013 * microsecond;
constexpr double simgrid_message_along_s = 6 * microsecond;
constexpr double simgrid_message_across_s = 1.4 * microsecond;  // times the root of the workers
constexpr double tcp_frame_s = 0.5 * microsecond;

double fair_s(const RunShape& shape) {
  const double across_s =
      std::max(fair_message_across_s * std::sqrt(shape.workers), fair_flow_s * shape.flows);
  return shape.messages_along * fair_message_along_s + shape.messages_across * across_s;
}

/// The time of simulating the messages of an iteration.
double sending_s(const RunShape& shape) {
  const double messages = shape.messages_along + shape.messages_across;
  switch (shape.engine) {
    case Engine::fair:
      return fair_s(shape);
    case Engine::event:
      return messages * (event_message_s + event_flow_s * shape.flows);
    case Engine::simgrid:
      return shape.messages_along * simgrid_message_along_s +
             shape.messages_across * simgrid_message_across_s * std::sqrt(shape.workers);
    case Engine::tcp:
      return std::max(messages, shape.frames) * tcp_frame_s;
  }
  return 0;
}

/// The time of an iteration of all workers.
double iteration_s(const RunShape& shape, const Watching& watching) {
  const double watched_factor = watching.critical_path ? path_factor : watching.links ? links_factor : 1;
  double ring_message_s = 0;
  if (watching.links) ring_message_s += links_of_ring_message_s;
  if (watching.critical_path) ring_message_s += path_of_ring_message_s;
  return shape.workers * iteration_of_worker_s +
         shape.rings * shape.workers * ring_of_worker_s * std::sqrt(shape.workers) +
         shape.ring_messages * ring_message_s + shape.other_messages * evaluated_message_s +
         watched_factor * sending_s(shape);
}

double memory_bytes(const RunShape& shape, const Watching& watching) {
  const double sent = shape.messages_along + shape.messages_across;
  double bytes = program_bytes + shape.logged_bytes;
  bytes += shape.workers * (shape.has_workers ? worker_bytes : worker_without_run_bytes);
  if (shape.engine == Engine::simgrid) bytes += simgrid_bytes;
  if (sent > 0) bytes += shape.workers * (shape.flows * flow_bytes + shape.collectives * collective_bytes);
  if (watching.critical_path) bytes += shape.workers * path_of_worker_bytes + sent * path_of_message_bytes;
  return bytes;
}

}  // namespace

RunEffort effort_of(const RunShape& shape, const Watching& watching) {
  const double beginning_s = shape.has_workers ? shape.workers * worker_s : 0;
  return {.time_s = beginning_s + shape.iterations * iteration_s(shape, watching),
          .memory_bytes = memory_bytes(shape, watching)};
}

RunEffort effort_of(const LearningShape& shape) {
  return {.time_s = shape.operations * learned_operation_s + shape.updated_elements * updated_element_s,
          .memory_bytes = shape.kept_elements * sizeof(float)};
}

double timeline_s(const RunShape& shape) {
  return shape.iterations * (shape.messages_along + shape.messages_across) * drawn_message_s;
}

}  // namespace starling
