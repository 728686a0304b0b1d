#include "sim/errors.hpp"
