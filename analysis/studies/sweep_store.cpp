#include "analysis/studies/sweep_store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/results/saved_result.hpp"
#include "analysis/studies/sweep_figures.hpp"
#include "io/scenario_error.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

using nlohmann::json;

constexpr int application_id = 0x53544C47;  // "STLG"
constexpr int form = 1;                     // of the tables
constexpr int busy_timeout_ms = 10'000;

constexpr const char* tables = R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE runs (
  scenario_hash TEXT PRIMARY KEY,
  starling TEXT NOT NULL,
  seed INTEGER,
  error TEXT,
  result TEXT,
  wall_s REAL NOT NULL
);
CREATE TABLE points (
  combination INTEGER NOT NULL,
  replication INTEGER NOT NULL,
  scenario_hash TEXT NOT NULL REFERENCES runs,
  PRIMARY KEY (combination, replication)
);
)";

constexpr const char* doubts_table = R"(
CREATE TABLE IF NOT EXISTS doubts (
  scenario_hash TEXT NOT NULL REFERENCES runs,
  kind TEXT NOT NULL,
  sentence TEXT NOT NULL,
  PRIMARY KEY (scenario_hash, kind, sentence)
);
)";

/// What a store calls the kinds of doubts, in their order.
constexpr std::array<const char*, 4> doubt_kinds{"decided_by_ties", "partial_periods", "uneven_traffic",
                                                 "unsettled"};

/// A store that is only read is the input; one that may be made is where output goes.
[[noreturn]] void refuse(const std::filesystem::path& path, bool may_make, const std::string& problem) {
  if (!may_make)
    throw ScenarioError(
        {path.string(), "", problem, "", fmt::format("{}, of the version that reads it", written_sweep)});
  throw ScenarioError({"--out", "", problem, path.string(),
                       "another folder: results of different versions do not go together"});
}

[[noreturn]] void refuse_missing_sweep(const std::filesystem::path& path) {
  throw ScenarioError(
      {path.string(), "", "there is no sweep in this store", "", "one that starling sweep wrote"});
}

/// A name as SQL takes any.
std::string quoted_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

void bind_value(SQLite::Statement& statement, int position, const json& value) {
  if (value.is_number_integer())
    statement.bind(position, value.get<std::int64_t>());
  else if (value.is_number())
    statement.bind(position, value.get<double>());
  else
    statement.bind(position, value_text(value));
}

int integer_of(SQLite::Database& database, const char* query) { return database.execAndGet(query).getInt(); }

/// A path as a URI of SQLite's.
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string())
    uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02X}", static_cast<int>(c)) : std::string(1, c);
  return uri;
}

bool may_write(const std::filesystem::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

/// Whoever may write opens the store for that, too: only so SQLite removes what reading needs beside it. What
/// may not be written is read as it is, unless a sweep is writing it or was killed when it was.
SQLite::Database opened_to_read(const std::filesystem::path& path) {
  if (may_write(path) && may_write(std::filesystem::absolute(path).parent_path()))
    return SQLite::Database(path.string(), SQLite::OPEN_READWRITE, busy_timeout_ms);
  std::filesystem::path log = path;
  log += "-wal";
  std::error_code is_missing;
  const bool has_log = std::filesystem::file_size(log, is_missing) > 0 && !is_missing;
  if (has_log) return SQLite::Database(path.string(), SQLite::OPEN_READONLY, busy_timeout_ms);
  return SQLite::Database(uri_of(path) + "?immutable=1", SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                          busy_timeout_ms);
}

SQLite::Database opened(const std::filesystem::path& path, bool may_make) {
  if (!may_make) return opened_to_read(path);
  return SQLite::Database(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, busy_timeout_ms);
}

[[noreturn]] void refuse_damage(const std::filesystem::path& path, const std::string& damage) {
  throw ScenarioError(
      {path.string(), "", fmt::format("this store is damaged ({})", damage), "", written_sweep});
}

/// @throws ScenarioError if what should be in the store is not there; std::runtime_error of anything else.
[[noreturn]] void fail(const std::filesystem::path& path, const SQLite::Exception& error) {
  constexpr int no_row = -1;   // of SQLiteCpp's own errors
  constexpr int no_table = 1;  // or no column
  constexpr int malformed = 11;
  const int code = error.getErrorCode();
  if (code == no_row || code == no_table || code == malformed) refuse_damage(path, error.what());
  throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
}

/// Calls `read`, which reads in the store. @throws as fail(), and ScenarioError if what is there has not the
/// form that it should have.
template <typename Read>
auto reading(const std::filesystem::path& path, const Read& read) {
  try {
    return naming_file(path, written_sweep, read);
  } catch (const SQLite::Exception& error) {
    fail(path, error);
  }
}

/// @throws json::exception if a result has no algorithm, or misses what every table needs.
void check_result(const json& result) {
  (void)result.at("scenario").at("seed").get<std::uint64_t>();
  (void)blocks_of(result).at(0);
  for (const json& block : blocks_of(result)) {
    (void)label_of(block);
    (void)block.at("iteration_time_s").at("mean").get<double>();
  }
}

/// Of a row that begins with the columns scenario_hash, error, result, wall_s, starling.
SweepRun run_in(SQLite::Statement& row) {
  SweepRun run{.scenario_hash = row.getColumn(0).getString(),
               .error = row.getColumn(1).getString(),
               .result = {},
               .wall_s = row.getColumn(3).getDouble(),
               .made_by = row.getColumn(4).getString()};
  if (!row.getColumn(2).isNull()) run.result = json::parse(row.getColumn(2).getString());
  if (run.is_done()) check_result(run.result);
  return run;
}

/// None in a store without doubts.
std::optional<SQLite::Statement> query_of_doubts(const SQLite::Database& database) {
  if (!database.tableExists("doubts")) return std::nullopt;
  return std::make_optional<SQLite::Statement>(
      database, "SELECT kind, sentence FROM doubts WHERE scenario_hash = ? ORDER BY rowid");
}

void read_doubts(std::optional<SQLite::Statement>& query, SweepRun& run) {
  if (!query) return;
  query->reset();
  query->bind(1, run.scenario_hash);
  while (query->executeStep())
    for (std::size_t kind = 0; kind < doubt_kinds.size(); ++kind)
      if (query->getColumn(0).getString() == doubt_kinds[kind])
        run.doubts.push_back({static_cast<DoubtKind>(kind), query->getColumn(1).getString()});
}

void add_doubts(SQLite::Database& database, const SweepRun& run) {
  SQLite::Statement insert(database, "INSERT OR IGNORE INTO doubts VALUES (?, ?, ?)");
  for (const Doubt& doubt : run.doubts) {
    insert.reset();
    insert.bind(1, run.scenario_hash);
    insert.bind(2, doubt_kinds.at(static_cast<std::size_t>(doubt.kind)));
    insert.bind(3, doubt.sentence);
    insert.exec();
  }
}

}  // namespace

struct SweepStore::Impl {
  SQLite::Database database;
  std::optional<SweepPlan> plan = {};
};

SweepStore SweepStore::open_or_make(const std::filesystem::path& folder) {
  return {folder / "sweep.sqlite", true};
}

SweepStore SweepStore::open(const std::filesystem::path& folder) { return {folder / "sweep.sqlite", false}; }

SweepStore::SweepStore(std::filesystem::path path, bool may_make) : path_(std::move(path)) {
  if (!may_make && !std::filesystem::exists(path_))
    throw ScenarioError(
        {path_.string(), "", "there is no sweep", "", "a folder that starling sweep --out wrote"});
  try {
    impl_ = std::make_unique<Impl>(Impl{.database = opened(path_, may_make)});
    SQLite::Database& database = impl_->database;
    const bool is_new = integer_of(database, "SELECT count(*) FROM sqlite_master") == 0;
    if (is_new && !may_make) refuse_missing_sweep(path_);
    if (!is_new && integer_of(database, "PRAGMA application_id") != application_id)
      refuse(path_, may_make, "this file is no store of Starling's");
    if (!is_new && integer_of(database, "PRAGMA user_version") != form)
      refuse(path_, may_make,
             fmt::format("this store has form {}, and this is starling {}",
                         integer_of(database, "PRAGMA user_version"), version()));
    if (may_make) database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    if (!is_new) {
      const std::string writer =
          database.execAndGet("SELECT value FROM meta WHERE key = 'starling'").getString();
      if (writer != version())
        refuse(path_, may_make,
               fmt::format("this store was written by starling {}, and this is {}", writer, version()));
      if (may_make) database.exec(doubts_table);
      return;
    }
    SQLite::Transaction transaction(database);
    database.exec(tables);
    database.exec(doubts_table);
    database.exec(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application_id, form));
    SQLite::Statement insert(database, "INSERT INTO meta VALUES ('starling', ?)");
    insert.bind(1, std::string(version()));
    insert.exec();
    transaction.commit();
  } catch (const SQLite::Exception& error) {
    constexpr int not_a_database = 26;
    if (error.getErrorCode() == not_a_database)
      refuse(path_, may_make, "this file is no store of Starling's");
    fail(path_, error);
  }
}

SweepStore::SweepStore(SweepStore&&) noexcept = default;
SweepStore::~SweepStore() = default;

void SweepStore::set_plan(const SweepPlan& plan) {
  SQLite::Database& database = impl_->database;
  std::string columns;
  for (const std::string& pointer : plan.pointers()) columns += fmt::format(", {}", quoted_name(pointer));
  for (const SweepFigure& figure : sweep_figures()) columns += fmt::format(", {} REAL", figure.name);
  try {
    SQLite::Transaction transaction(database);
    SQLite::Statement insert(database, "INSERT OR REPLACE INTO meta VALUES ('plan', ?)");
    insert.bind(1, plan.saved().dump());
    insert.exec();
    database.exec("DELETE FROM points; DROP TABLE IF EXISTS figures;");
    database.exec(fmt::format(
        "CREATE TABLE figures (combination INTEGER, replication INTEGER, seed INTEGER, algorithm TEXT{}, "
        "PRIMARY KEY (combination, replication, algorithm))",
        columns));
    transaction.commit();
  } catch (const SQLite::Exception& error) {
    fail(path_, error);
  }
  impl_->plan = plan;
}

const SweepPlan& SweepStore::plan() const {
  if (impl_->plan) return *impl_->plan;
  impl_->plan = reading(path_, [this] {
    SQLite::Statement query(impl_->database, "SELECT value FROM meta WHERE key = 'plan'");
    if (!query.executeStep()) refuse_missing_sweep(path_);
    return SweepPlan::from_saved(json::parse(query.getColumn(0).getString()));
  });
  return *impl_->plan;
}

void SweepStore::refuse_other_plan(const SweepPlan& of_now, const char* expected) const {
  if (points() == 0 || of_now.contains(plan())) return;
  throw ScenarioError(
      {"--out", "", "other runs than these are in this folder", path_.parent_path().string(), expected});
}

void SweepStore::refuse_if_none_has_ended() const {
  if (points() > 0) return;
  throw ScenarioError({path_.string(), "", "no run of this sweep has ended yet", "",
                       "one with results: if it is not running, the same starling sweep command goes on"});
}

std::unordered_set<std::string> SweepStore::hashes() const {
  return reading(path_, [this] {
    std::unordered_set<std::string> hashes;
    SQLite::Statement query(impl_->database, "SELECT scenario_hash FROM runs WHERE error IS NULL");
    while (query.executeStep()) hashes.insert(query.getColumn(0).getString());
    return hashes;
  });
}

SweepRun SweepStore::run_of(const std::string& scenario_hash) const {
  return reading(path_, [&] {
    SQLite::Statement query(
        impl_->database,
        "SELECT scenario_hash, error, result, wall_s, starling FROM runs WHERE scenario_hash = ?");
    query.bind(1, scenario_hash);
    if (!query.executeStep()) refuse_damage(path_, "a run that it lists is not there");
    SweepRun run = run_in(query);
    auto doubts = query_of_doubts(impl_->database);
    read_doubts(doubts, run);
    return run;
  });
}

void SweepStore::add(const SweepRun& run) {
  try {
    SQLite::Transaction transaction(impl_->database);
    SQLite::Statement insert(
        impl_->database,
        "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (scenario_hash) DO UPDATE "
        "SET starling = excluded.starling, seed = excluded.seed, error = excluded.error, result = "
        "excluded.result, "
        "wall_s = excluded.wall_s WHERE runs.error IS NOT NULL");
    insert.bind(1, run.scenario_hash);
    insert.bind(2, run.made_by);
    if (run.is_done()) {
      insert.bind(3, run.result.at("scenario").at("seed").get<std::int64_t>());
      insert.bind(5, run.result.dump());
    } else {
      insert.bind(4, run.error);
    }
    insert.bind(6, run.wall_s);
    insert.exec();
    SQLite::Statement point(impl_->database, "INSERT OR REPLACE INTO points VALUES (?, ?, ?)");
    point.bind(1, run.combination);
    point.bind(2, run.replication);
    point.bind(3, run.scenario_hash);
    point.exec();
    if (run.is_done()) add_figures(run);
    if (run.is_done()) add_doubts(impl_->database, run);
    transaction.commit();
  } catch (const SQLite::Exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", path_.string(), error.what()));
  }
}

void SweepStore::add_figures(const SweepRun& run) {
  const std::vector<json> values = plan().values(run.combination);
  const std::size_t columns = 4 + values.size() + sweep_figures().size();
  std::string places = "?";
  for (std::size_t i = 1; i < columns; ++i) places += ", ?";
  SQLite::Statement insert(impl_->database,
                           fmt::format("INSERT OR REPLACE INTO figures VALUES ({})", places));
  for (const json& each : blocks_of(run.result)) {
    insert.reset();
    insert.clearBindings();
    int position = 0;
    insert.bind(++position, run.combination);
    insert.bind(++position, run.replication);
    insert.bind(++position, run.result.at("scenario").at("seed").get<std::int64_t>());
    insert.bind(++position, label_of(each));
    for (const json& value : values) bind_value(insert, ++position, value);
    for (const SweepFigure& figure : sweep_figures()) {
      ++position;
      if (const auto value = value_of(figure, each)) insert.bind(position, *value);
    }
    insert.exec();
  }
}

void SweepStore::merge(const SweepStore& other) {
  if (other.plan().saved() != plan().saved())
    throw ScenarioError(
        {other.path_.string(), "", "this is a part of another sweep", "", "parts of one sweep"});
  other.for_each_point([this](const SweepRun& run) { add(run); });
}

void SweepStore::visit_points(const char* condition,
                              const std::function<void(const SweepRun&)>& visit) const {
  reading(path_, [&] {
    SQLite::Statement query(
        impl_->database,
        fmt::format(
            "SELECT scenario_hash, error, result, wall_s, starling, combination, replication FROM points "
            "JOIN runs USING (scenario_hash) {} ORDER BY combination, replication",
            condition));
    auto doubts = query_of_doubts(impl_->database);
    while (query.executeStep()) {
      SweepRun run = run_in(query);
      read_doubts(doubts, run);
      run.combination = query.getColumn(5).getInt64();
      run.replication = query.getColumn(6).getInt();
      if (run.combination < 0 || run.combination >= plan().combinations())
        refuse_damage(path_, fmt::format("there is no combination {}", run.combination));
      visit(run);
    }
  });
}

void SweepStore::for_each_point(const std::function<void(const SweepRun&)>& visit) const {
  visit_points("", visit);
}

void SweepStore::for_each_failure(const std::function<void(const SweepRun&)>& visit) const {
  visit_points("WHERE error IS NOT NULL", visit);
}

std::int64_t SweepStore::points() const {
  return reading(path_,
                 [this] { return impl_->database.execAndGet("SELECT count(*) FROM points").getInt64(); });
}

std::int64_t SweepStore::done_points() const {
  return reading(path_, [this] {
    return impl_->database
        .execAndGet("SELECT count(*) FROM points JOIN runs USING (scenario_hash) WHERE error IS NULL")
        .getInt64();
  });
}

}  // namespace starling
