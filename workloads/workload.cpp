#include "workloads/workload.hpp"
