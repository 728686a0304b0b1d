#pragma once

#include <exception>
#include <string>
#include <vector>

namespace starling {

/// Combinations of a sweep that cannot be run, by what is wrong with them.
class RefusedCombinations {
 public:
  /// `values`: what varies in it, "workers=8, seed=1".
  void add(const std::string& values, const std::exception_ptr& error);
  /// Throws the first error, if there is one. If it is a ScenarioError its text goes on with the others, each
  /// with the values that it comes with, as far as there are not too many, and unless all say the same.
  void throw_all() const;

 private:
  struct Kind {
    std::string key = {};                  // alike for errors that say the same of other values
    std::string text = {};                 // of the first of them
    bool is_same_text = true;              // of all of them
    std::vector<std::string> values = {};  // of each
  };

  std::string text() const;

  std::exception_ptr first_;
  std::vector<Kind> kinds_;
};

}  // namespace starling
