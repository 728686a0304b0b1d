#include "sim/routes.hpp"
