#include "commands/studies/study_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "io/pictures/gnuplot.hpp"
#include "io/terminal.hpp"

namespace starling {

void add_seeds(Command& command, std::optional<int>& seeds, std::string_view what) {
  command.add_option("--seeds", "N", &seeds,
                     fmt::format("Run each {} with so many seeds (default: the study's, or 1)", what));
}

void add_jobs(Command& command, std::optional<int>& jobs) {
  command.add_option("--jobs", "N", &jobs, "Runs at the same time (default: as many as cores)");
}

void add_confirmation(Command& command, bool& is_confirmed) {
  command.add_flag("--yes", is_confirmed, fmt::format("Run even more than {} runs", most_unconfirmed_runs));
}

int checked_jobs(const std::optional<int>& jobs) {
  constexpr int most = 1024;
  const int number = jobs.value_or(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  if (number < 1 || number > most)
    throw UsageError(fmt::format("--jobs: {} is not from 1 to {}", number, most));
  return number;
}

void draw_or_warn(const std::string& script, const std::filesystem::path& picture) {
  try {
    run_gnuplot(script, picture);
  } catch (const std::runtime_error& error) {
    warn(error.what());
  }
}

ToldDoubts::ToldDoubts(ProgressLine& progress)
    : decided_by_ties_(progress,
                       "other means that ties decide, of which starling run says what they are otherwise"),
      of_partial_periods_(progress, "other means of which other than whole periods are counted"),
      of_uneven_traffic_(progress),
      unsettled_(progress, "other means of iterations that still change while they are counted") {}

void ToldDoubts::add(const Doubt& doubt, const std::string& conditions) {
  switch (doubt.kind) {
    case DoubtKind::decided_by_ties:
      return decided_by_ties_.add(doubt.sentence, conditions);
    case DoubtKind::partial_periods:
      return of_partial_periods_.add(doubt.sentence, conditions);
    case DoubtKind::uneven_traffic:
      return of_uneven_traffic_.add(doubt.sentence, conditions);
    case DoubtKind::unsettled:
      return unsettled_.add(doubt.sentence, conditions);
  }
}

void ToldDoubts::end() const {
  decided_by_ties_.end();
  of_partial_periods_.end();
  unsettled_.end();
}

}  // namespace starling
