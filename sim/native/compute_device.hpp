#pragma once

namespace starling {

/// What really computes for a worker while the thread that runs its strands sends and receives: it is given
/// work, and asked whether that has ended. Only that thread calls it.
///
/// A CUDA stream fits as well, in a source file that is built where CUDA is found: begin() launches kernels
/// and records an event behind them (cudaEventRecord), is_done() asks for it (cudaEventQuery), abandon()
/// waits for the stream (cudaStreamSynchronize), as kernels cannot be stopped; descriptor() is −1, or an
/// eventfd that a host function behind the kernels writes to (cudaLaunchHostFunc).
class ComputeDevice {
 public:
  virtual ~ComputeDevice() = default;

  /// Begins as much work as takes so many seconds undisturbed. The work before must have ended; very little
  /// may end at once.
  virtual void begin(double seconds) = 0;
  /// Whether the work begun last has ended. Asked often, so it takes well below a microsecond.
  virtual bool is_done() = 0;
  /// Ends the work early if that is possible, and returns when it has ended.
  virtual void abandon() = 0;
  /// A file descriptor that becomes readable, or is written to once more, when work ends; −1 if the end must
  /// be looked for.
  virtual int descriptor() const { return -1; }
};

}  // namespace starling
