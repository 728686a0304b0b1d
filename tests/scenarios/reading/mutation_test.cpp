#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "io/data_directory.hpp"
#include "io/json/json_text.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "sim/random.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {

namespace {

/// Draws of mutation number `mutation`: the same in every run.
class Draws {
 public:
  explicit Draws(std::uint64_t mutation) : mutation_(mutation) {}
  std::size_t below(std::size_t bound) { return random_.below(bound, 0, mutation_, index_++); }

 private:
  CounterRandom random_{20260101, Purpose::data};
  std::uint64_t mutation_;
  std::uint32_t index_ = 0;
};

/// Characters that mean something to the parser or the readers are likelier than others.
char any_character(Draws& draws) {
  const std::string_view meaningful = "{}[]\",:0123456789.eE+-truefalsn/\\~* \n\xff\x80";
  return draws.below(2) == 0 ? meaningful[draws.below(meaningful.size())]
                             : static_cast<char>(draws.below(256));
}

void mutate(std::string& text, Draws& draws) {
  const std::size_t place = draws.below(text.size());
  switch (draws.below(5)) {
    case 0:
      text[place] = any_character(draws);
      break;
    case 1:
      text.insert(place, 1, any_character(draws));
      break;
    case 2:
      text.erase(place, 1 + draws.below(8));
      break;
    case 3:
      text.insert(place, text.substr(draws.below(text.size()), draws.below(40)));
      break;
    case 4:
      text.resize(place + 1);
      break;
  }
}

TEST_CASE("a mutated scenario is read or rejected, and nothing else") {
  const ScratchFolder folder;
  const std::string quickstart = read_text_file(data_directory() / "scenarios" / "quickstart.json");
  constexpr std::uint64_t mutations = 2000;
  int rejected = 0;
  for (std::uint64_t mutation = 0; mutation < mutations; ++mutation) {
    Draws draws(mutation);
    std::string text = quickstart;
    for (std::size_t count = 1 + draws.below(3); count > 0; --count) mutate(text, draws);
    const auto file = folder.write("mutated.json", text);
    CAPTURE(text);
    // Anything but a ScenarioError leaves error_of and fails the test.
    const std::string error = error_of(folder.path(), [&] { read_scenario(file); });
    if (error != "no error") ++rejected;
    CHECK((error == "no error" || error.find("mutated.json: ") == 0));
  }
  CHECK(rejected > 1000);
  CHECK(rejected < 2000);
}

TEST_CASE("every truncation of a scenario is rejected") {
  const ScratchFolder folder;
  const std::string quickstart = read_text_file(data_directory() / "scenarios" / "quickstart.json");
  const std::size_t last = quickstart.rfind('}');
  for (std::size_t size = 0; size <= last; ++size) {
    const auto file = folder.write("truncated.json", std::string_view(quickstart).substr(0, size));
    CAPTURE(size);
    CHECK(error_of(folder.path(), [&] { read_scenario(file); }).starts_with("truncated.json: "));
  }
}

}  // namespace

}  // namespace starling
