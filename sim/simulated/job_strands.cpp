#include "sim/simulated/job_strands.hpp"

namespace starling {

void JobStrands::spawn(Rank rank, const std::string& name, std::function<void()> body, StrandKind kind) {
  if (kind == StrandKind::background) return scheduler_.spawn(rank, name_of(name), std::move(body), true);
  ++foreground_;
  scheduler_.spawn(
      rank, name_of(name),
      [this, body = std::move(body)] {
        body();
        if (--foreground_ == 0) ended_();
      },
      runs_forever_);
}

void JobStrands::spawn_stepwise(Rank rank, const std::string& name, std::function<void()> step) {
  scheduler_.spawn_stepwise(rank, name_of(name), std::move(step));
}

}  // namespace starling
