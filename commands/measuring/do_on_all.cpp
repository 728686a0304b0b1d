#include "commands/measuring/do_on_all.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "commands/shared/command.hpp"
#include "io/terminal/terminal.hpp"

namespace starling {

void do_on_all(const MpiJob& job, const std::function<void()>& action) {
  std::string failure;
  std::string exit_code;
  try {
    action();
  } catch (const std::exception& error) {
    failure = error_text(error);
    exit_code = std::to_string(exit_code_of(error));
  }
  const std::vector<std::string> codes = job.gather_all(exit_code);
  const auto failed =
      std::find_if(codes.begin(), codes.end(), [](const std::string& code) { return !code.empty(); });
  if (failed == codes.end()) return;
  if (failed - codes.begin() == job.rank()) print_error(failure + "\n");
  job.gather_all("");  // waits until the error is printed: once a process exits, mpirun ends all others
  throw ReportedError(std::stoi(*failed));
}

}  // namespace starling
