#include "io/options/found_kinds.hpp"

namespace starling {
namespace {

class KindFinder final : public OptionVisitor {
 public:
  FoundKinds found;

 protected:
  void on_kind(const Kinds& kinds) override {
    found = {.all = kinds.all, .noun = kinds.noun, .key = kinds.key, .current = kinds.current()};
  }
};

}  // namespace

nlohmann::json FoundKinds::only(const std::string& kind) const {
  if (key.empty()) return nlohmann::json::object();
  return {{std::string(key), kind}};
}

FoundKinds find_kinds(const Description& describe) {
  KindFinder finder;
  describe(finder);
  return finder.found;
}

std::vector<std::string> names_of(const std::vector<Kind>& kinds) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  return names;
}

}  // namespace starling
