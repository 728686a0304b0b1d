#include "algorithms/collectives/schedules/schedule.hpp"
