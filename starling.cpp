#include "commands/program.hpp"

int main(int argument_count, char** arguments) {
  return starling::run_program(argument_count, arguments, starling::measuring());
}
