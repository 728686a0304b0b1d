#include <benchmark/benchmark.h>

#include <vector>

#include "sim/agenda/agenda.hpp"
#include "sim/random.hpp"

namespace starling {
namespace {

class Nothing final : public TimedAction {
 public:
  void happen() override {}
};

/// Takes the first of n entries and inserts it again somewhat later, over and over, as a simulation does.
void agenda_take_and_put(benchmark::State& state) {
  const auto entries = static_cast<std::size_t>(state.range(0));
  const CounterRandom random(1, Purpose::schedule);
  std::vector<double> delays(1 << 16);
  for (std::size_t i = 0; i < delays.size(); ++i) delays[i] = random.uniform(0, i);

  Nothing nothing;
  Agenda agenda;
  for (std::size_t i = 0; i < entries; ++i) agenda.put(delays[i % delays.size()], nothing);
  std::size_t next = 0;
  for ([[maybe_unused]] auto _ : state) {
    const double now_s = agenda.next_time_s();
    TimedAction& action = agenda.take();
    agenda.put(now_s + delays[next++ % delays.size()], action);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(agenda_take_and_put)->Arg(1 << 6)->Arg(1 << 10)->Arg(1 << 14)->Arg(1 << 20);

}  // namespace
}  // namespace starling
