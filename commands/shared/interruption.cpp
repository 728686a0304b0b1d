#include "commands/shared/interruption.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>

#include "base/errors.hpp"
#include "io/processes/child_process.hpp"
#include "io/texts/shown_text.hpp"

namespace starling {
namespace {

std::atomic<const std::string*> text = nullptr;
std::atomic<bool> is_ending = false;

/// The signal handler: calls only async-signal-safe functions. A second interrupt is ignored.
void say_and_end(int signal) {
  if (is_ending.exchange(true)) return;
  end_child_first(signal);
  if (const std::string* said = text.load())
    static_cast<void>(!::write(STDERR_FILENO, said->data(), said->size()));
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // delivered when this handler returns
}

/// Installs the handler, unless the parent process has set the signal to be ignored.
void handle(int signal, struct sigaction& before) {
  ::sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = say_and_end;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

Interruption::Interruption(std::string_view kept) {
  STARLING_INVARIANT(text.load() == nullptr);
  keeps(kept);
  handle(SIGINT, before_interrupt_);
  handle(SIGTERM, before_termination_);
  handle(SIGHUP, before_hangup_);
}

Interruption::~Interruption() {
  ::sigaction(SIGINT, &before_interrupt_, nullptr);
  ::sigaction(SIGTERM, &before_termination_, nullptr);
  ::sigaction(SIGHUP, &before_hangup_, nullptr);
  text = nullptr;
}

void Interruption::keeps(std::string_view kept) {
  const std::string_view clear_line = ::isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "";
  text = &texts_.emplace_back(fmt::format("{}starling: interrupted; {}\n", clear_line, printable(kept)));
}

}  // namespace starling
