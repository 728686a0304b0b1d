#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace starling {

/// The forward time in one line of iterations.csv. Where there are jobs, `worker` is the rank within the job.
struct ForwardTime {
  std::string label;
  int worker = 0;
  int iteration = 0;
  double forward_s = 0;
};

/// The forward times of all lines of `folder`/iterations.csv whose label has at most 19 characters and no
/// comma.
inline std::vector<ForwardTime> forward_times(const std::filesystem::path& folder) {
  std::vector<ForwardTime> all;
  std::ifstream file(folder / "iterations.csv");
  for (std::string line; std::getline(file, line);) {
    char label[20];
    int run = 0;
    int worker = 0;
    int iteration = 0;
    int is_warmup = 0;
    double times_s[5] = {};  // end, ready, duration, delay, forward
    if (std::sscanf(line.c_str(), "%d,%19[^,],%d,%d,%d,%lf,%lf,%lf,%lf,%lf", &run, label, &worker, &iteration,
                    &is_warmup, &times_s[0], &times_s[1], &times_s[2], &times_s[3], &times_s[4]) == 10)
      all.push_back({.label = label, .worker = worker, .iteration = iteration, .forward_s = times_s[4]});
  }
  return all;
}

}  // namespace starling
