#include "commands/test_command.hpp"

#include "io/terminal/terminal.hpp"

namespace starling {

void add_test(CommandLine& line) {
  Command test = line.add_command("test", "Build and run the tests (by the launcher ./starling)");
  test.ignore_arguments();
  test.set_footer("Example:\n  ./starling test -R units");
  test.does([]() -> int {
    throw UsageError(
        "this is the built program; the launcher at the root of the repository builds and runs the tests: "
        "./starling test");
  });
}

}  // namespace starling
