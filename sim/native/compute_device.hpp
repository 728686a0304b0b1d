#pragma once

namespace starling {

/// A device that computes for a worker while the thread that runs the worker's strands sends and receives.
/// It is given work, and polled for its end, by that thread only.
///
/// A CUDA stream fits this interface, in a source file that is built where CUDA is found: begin() launches
/// kernels and records an event after them (cudaEventRecord), is_done() queries the event (cudaEventQuery),
/// abandon() waits for the stream (cudaStreamSynchronize), as kernels cannot be stopped; descriptor() is −1,
/// or an eventfd to which a host function after the kernels writes (cudaLaunchHostFunc).
class ComputeDevice {
 public:
  virtual ~ComputeDevice() = default;

  /// Begins the work that takes `seconds` undisturbed. The previous work must have ended. Very little work
  /// may be done at once.
  virtual void begin(double seconds) = 0;
  /// Whether the work begun last has ended. Polled often, so it must take well below a microsecond.
  virtual bool is_done() = 0;
  /// Ends the work early if possible, and returns when it has ended.
  virtual void abandon() = 0;
  /// A file descriptor that becomes readable, or is written to again, when work ends; −1 if the end must be
  /// polled for.
  virtual int descriptor() const { return -1; }
};

}  // namespace starling
