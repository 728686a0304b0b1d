#include "analysis/studies/sweep_store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>
#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/results/files/saved_result.hpp"
#include "analysis/studies/sweep_database.hpp"
#include "analysis/studies/sweep_figures.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

using nlohmann::json;

constexpr int application_id = 0x53544C47;  // "STLG"
constexpr int form = 1;                     // version of the tables' layout

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
CREATE TABLE doubts (
  scenario_hash TEXT NOT NULL REFERENCES runs,
  kind TEXT NOT NULL,
  sentence TEXT NOT NULL,
  PRIMARY KEY (scenario_hash, kind, sentence)
);
CREATE TABLE inputs (
  scenario_hash TEXT NOT NULL REFERENCES runs,
  file TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (scenario_hash, file, content)
);
)";

constexpr const char* missing_run = "a run that it lists is missing";

/// The names of the kinds of warnings in the store, in the order of WarningKind.
constexpr std::array<const char*, 5> warning_kinds{"decided_by_ties", "unchecked_ties", "partial_periods",
                                                   "uneven_traffic", "unsettled"};

/// Refuses a file that is no store of this version: as an input if it was opened for reading, as the output
/// folder (--out) otherwise.
[[noreturn]] void refuse(const std::filesystem::path& path, bool may_make, const std::string& problem) {
  if (!may_make)
    throw ScenarioError(
        {path.string(), "", problem, "", fmt::format("{} with this version of starling", written_sweep)});
  throw ScenarioError({"--out", "", problem, path.string(),
                       "another folder: results of different versions cannot be combined"});
}

[[noreturn]] void refuse_missing_sweep(const std::filesystem::path& path) {
  throw ScenarioError(
      {path.string(), "", "there is no sweep in this store", "", "one that starling sweep wrote"});
}

/// A name as a quoted SQL identifier.
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

/// @throws ScenarioError as refuse() if the file is no store, or one of another layout or version.
void check_form(SQLite::Database& database, const std::filesystem::path& path, bool may_make) {
  if (integer_of(database, "PRAGMA application_id") != application_id)
    refuse(path, may_make, "this file is not a store of starling sweep");
  if (const int found = integer_of(database, "PRAGMA user_version"); found != form)
    refuse(path, may_make,
           fmt::format("this store has format {}, which starling {} does not read", found, version()));
  const std::string writer = database.execAndGet("SELECT value FROM meta WHERE key = 'starling'").getString();
  if (writer != version())
    refuse(path, may_make,
           fmt::format("this store was written by starling {}, but this is starling {}", writer, version()));
}

void make_tables(SQLite::Database& database) {
  SQLite::Transaction transaction(database);
  database.exec(tables);
  database.exec(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application_id, form));
  SQLite::Statement insert(database, "INSERT INTO meta VALUES ('starling', ?)");
  insert.bind(1, std::string(version()));
  insert.exec();
  transaction.commit();
}

/// @throws json::exception if a result has no algorithm, or lacks a value that every table needs;
/// ScenarioError if a mean iteration time is negative.
void check_result(const std::filesystem::path& path, const json& result) {
  (void)result.at("scenario").at("seed").get<std::uint64_t>();
  (void)blocks_of(result).at(0);
  for (const json& block : blocks_of(result)) {
    (void)label_of(block);
    if (block.at("iteration_time_s").at("mean").get<double>() < 0)
      refuse_damage(path, fmt::format("the iteration time of {} is negative", label_of(block)));
  }
}

/// The run in a row that begins with the columns scenario_hash, error, result, wall_s, starling.
SweepRun run_in(const std::filesystem::path& path, SQLite::Statement& row) {
  SweepRun run{.scenario_hash = row.getColumn(0).getString(),
               .error = row.getColumn(1).getString(),
               .result = {},
               .wall_s = row.getColumn(3).getDouble(),
               .made_by = row.getColumn(4).getString()};
  if (!row.getColumn(2).isNull()) run.result = json::parse(row.getColumn(2).getString());
  if (run.is_done()) check_result(path, run.result);
  return run;
}

/// The plan in a store. @throws json::exception if a key is missing; ScenarioError if the plan is not valid.
SweepPlan plan_in(const std::filesystem::path& path, const std::string& saved) {
  const json document = json::parse(saved);
  if (const auto seeds = document.at("seeds").get<std::int64_t>(); seeds < 1)
    refuse_damage(path, fmt::format("its plan has {} seeds", seeds));
  try {
    return SweepPlan::from_saved(document);
  } catch (const ScenarioError& error) {
    refuse_damage(path, fmt::format("in its plan: {}", error.description().problem));
  }
}

/// @throws ScenarioError if the plan has no such combination or replication.
void check_point(const std::filesystem::path& path, const SweepPlan& plan, std::int64_t combination,
                 std::int64_t replication) {
  if (combination < 0 || combination >= plan.combinations())
    refuse_damage(path, fmt::format("there is no combination {}", combination));
  if (replication < 0 || replication >= plan.seeds())
    refuse_damage(path, fmt::format("there is no replication {}", replication));
}

/// Reads the warnings and inputs of runs, with statements that are prepared once.
class NotesOfRuns {
 public:
  explicit NotesOfRuns(const SQLite::Database& database)
      : warnings_(database, "SELECT kind, sentence FROM doubts WHERE scenario_hash = ? ORDER BY rowid"),
        inputs_(database, "SELECT file, content FROM inputs WHERE scenario_hash = ? ORDER BY rowid") {}

  void add_to(SweepRun& run) {
    for_each(warnings_, run, [&run](const std::string& name, const std::string& sentence) {
      for (std::size_t kind = 0; kind < warning_kinds.size(); ++kind)
        if (name == warning_kinds[kind]) run.warnings.push_back({static_cast<WarningKind>(kind), sentence});
    });
    for_each(inputs_, run, [&run](const std::string& file, const std::string& content) {
      run.inputs.push_back({.file = file, .hash = content});
    });
  }

 private:
  template <typename Add>
  static void for_each(SQLite::Statement& query, const SweepRun& run, const Add& add) {
    query.reset();
    query.bind(1, run.scenario_hash);
    while (query.executeStep()) add(query.getColumn(0).getString(), query.getColumn(1).getString());
  }

  SQLite::Statement warnings_;
  SQLite::Statement inputs_;
};

void add_notes(SQLite::Database& database, const SweepRun& run) {
  SQLite::Statement add_warning(database, "INSERT OR IGNORE INTO doubts VALUES (?, ?, ?)");
  for (const RunWarning& warning : run.warnings) {
    add_warning.reset();
    SQLite::bind(add_warning, run.scenario_hash, warning_kinds.at(static_cast<std::size_t>(warning.kind)),
                 warning.sentence);
    add_warning.exec();
  }
  SQLite::Statement add_input(database, "INSERT OR IGNORE INTO inputs VALUES (?, ?, ?)");
  for (const InputContent& input : run.inputs) {
    add_input.reset();
    SQLite::bind(add_input, run.scenario_hash, input.file, input.hash);
    add_input.exec();
  }
}

/// The SQL statement that creates the table of a plan's figures.
std::string figures_table(const SweepPlan& plan) {
  std::string columns;
  for (const std::string& pointer : plan.pointers()) columns += fmt::format(", {}", quoted_name(pointer));
  for (const SweepFigure& figure : sweep_figures()) columns += fmt::format(", {} REAL", figure.name);
  return fmt::format(
      "CREATE TABLE figures (combination INTEGER, replication INTEGER, seed INTEGER, algorithm TEXT{}, "
      "PRIMARY KEY (combination, replication, algorithm))",
      columns);
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
    impl_ = std::make_unique<Impl>(Impl{.database = opened_sweep(path_, may_make)});
    SQLite::Database& database = impl_->database;
    const bool is_new = integer_of(database, "SELECT count(*) FROM sqlite_master") == 0;
    if (is_new && !may_make) refuse_missing_sweep(path_);
    if (!is_new) check_form(database, path_, may_make);
    if (!may_make) return;
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    if (is_new) make_tables(database);
  } catch (const SQLite::Exception& error) {
    constexpr int not_a_database = 26;
    if (error.getErrorCode() == not_a_database)
      refuse(path_, may_make, "this file is not a store of starling sweep");
    fail_sweep(path_, error,
               impl_ ? system_error_of(impl_->database) : system_error_of_opening(path_, may_make));
  }
}

SweepStore::SweepStore(SweepStore&&) noexcept = default;
SweepStore::~SweepStore() = default;

void SweepStore::set_plan(const SweepPlan& plan, std::span<const SweepPoint> known) {
  together([&] {
    SQLite::Database& database = impl_->database;
    SQLite::Statement insert(database, "INSERT OR REPLACE INTO meta VALUES ('plan', ?)");
    insert.bind(1, plan.saved().dump());
    insert.exec();
    database.exec("DELETE FROM points; DROP TABLE IF EXISTS figures;");
    database.exec(figures_table(plan));
    impl_->plan = plan;
    for (const SweepPoint& point : known) reuse(point);
  });
}

bool SweepStore::has_plan(const SweepPlan& plan) const {
  return reading(path_, impl_->database, [&] {
    SQLite::Statement saved(impl_->database, "SELECT value FROM meta WHERE key = 'plan'");
    SQLite::Statement figures(impl_->database, "SELECT sql FROM sqlite_master WHERE name = 'figures'");
    return saved.executeStep() && saved.getColumn(0).getString() == plan.saved().dump() &&
           figures.executeStep() && figures.getColumn(0).getString() == figures_table(plan);
  });
}

const SweepPlan& SweepStore::plan() const {
  if (impl_->plan) return *impl_->plan;
  impl_->plan = reading(path_, impl_->database, [this] {
    SQLite::Statement query(impl_->database, "SELECT value FROM meta WHERE key = 'plan'");
    if (!query.executeStep()) refuse_missing_sweep(path_);
    return plan_in(path_, query.getColumn(0).getString());
  });
  return *impl_->plan;
}

void SweepStore::refuse_other_plan(const SweepPlan& of_now, const char* expected) const {
  if (points() == 0 || of_now.contains(plan()) || plan().contains(of_now)) return;
  throw ScenarioError(
      {"--out", "", "this folder has the runs of another sweep", path_.parent_path().string(), expected});
}

void SweepStore::refuse_part_of_other(const SweepPlan& whole) const {
  if (plan().saved() != whole.saved())
    throw ScenarioError({path_.string(), "", "this is a part of another sweep", "", "parts of one sweep"});
}

void SweepStore::refuse_if_none_has_ended() const {
  if (points() > 0) return;
  throw ScenarioError(
      {path_.string(), "", "no run of this sweep has ended yet", "",
       "a sweep with results; unless it is still running, repeat its starling sweep command to continue it"});
}

std::unordered_set<std::string> SweepStore::hashes() const {
  return reading(path_, impl_->database, [this] {
    std::unordered_set<std::string> hashes;
    SQLite::Statement query(impl_->database, "SELECT scenario_hash FROM runs WHERE error IS NULL");
    while (query.executeStep()) hashes.insert(query.getColumn(0).getString());
    return hashes;
  });
}

SweepRun SweepStore::run_of(const std::string& scenario_hash) const {
  return reading(path_, impl_->database, [&] {
    SQLite::Statement query(
        impl_->database,
        "SELECT scenario_hash, error, result, wall_s, starling FROM runs WHERE scenario_hash = ?");
    query.bind(1, scenario_hash);
    if (!query.executeStep()) refuse_damage(path_, missing_run);
    SweepRun run = run_in(path_, query);
    NotesOfRuns(impl_->database).add_to(run);
    return run;
  });
}

void SweepStore::together(const std::function<void()>& changes) {
  if (is_in_transaction(impl_->database)) return changes();
  try {
    SQLite::Transaction transaction(impl_->database);
    changes();
    transaction.commit();
  } catch (const SQLite::Exception& error) {
    fail_sweep(path_, error, system_error_of(impl_->database));
  }
}

bool SweepStore::add(const SweepRun& run) {
  bool is_added = false;
  together([&] {
    const std::vector<SweepPoint> failed = failed_points(run.scenario_hash);
    is_added = insert_run(run);
    if (!is_added) {
      reuse({.combination = run.combination,
             .replication = run.replication,
             .scenario_hash = run.scenario_hash});
      return;
    }
    set_point(run);
    if (!run.is_done()) return;
    add_notes(impl_->database, run);
    for (const SweepPoint& point : failed) reuse(point);
  });
  return is_added;
}

SweepRun SweepStore::reuse(const SweepPoint& point) {
  SweepRun run;
  together([&] {
    run = run_of(point.scenario_hash);
    run.combination = point.combination;
    run.replication = point.replication;
    set_point(run);
  });
  return run;
}

std::vector<SweepPoint> SweepStore::failed_points(const std::string& scenario_hash) const {
  // CROSS JOIN fixes the order: `points`, which has no index by hash, is scanned only if the run has failed.
  SQLite::Statement query(impl_->database,
                          "SELECT combination, replication FROM runs CROSS JOIN points USING (scenario_hash) "
                          "WHERE runs.scenario_hash = ? AND error IS NOT NULL");
  query.bind(1, scenario_hash);
  std::vector<SweepPoint> points;
  while (query.executeStep())
    points.push_back({.combination = query.getColumn(0).getInt64(),
                      .replication = query.getColumn(1).getInt(),
                      .scenario_hash = scenario_hash});
  return points;
}

bool SweepStore::insert_run(const SweepRun& run) {
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
  return insert.exec() > 0;
}

/// Makes the run's point stand for it, and replaces the point's figures. The run must be in the table `runs`.
void SweepStore::set_point(const SweepRun& run) {
  SQLite::Statement point(impl_->database, "INSERT OR REPLACE INTO points VALUES (?, ?, ?)");
  SQLite::bind(point, run.combination, run.replication, run.scenario_hash);
  point.exec();
  SQLite::Statement forget(impl_->database, "DELETE FROM figures WHERE combination = ? AND replication = ?");
  SQLite::bind(forget, run.combination, run.replication);
  forget.exec();
  if (run.is_done()) add_figures(run);
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

std::optional<SweepRun> SweepStore::run_at(std::int64_t combination, int replication) const {
  SQLite::Statement query(impl_->database,
                          "SELECT scenario_hash FROM points WHERE combination = ? AND replication = ?");
  SQLite::bind(query, combination, replication);
  if (!query.executeStep()) return std::nullopt;
  return run_of(query.getColumn(0).getString());
}

void SweepStore::merge(const SweepStore& other, const std::function<void(const SweepRun&)>& differs) {
  other.refuse_part_of_other(plan());
  together([&] {
    other.for_each_point([&](const SweepRun& run) {
      const std::optional<SweepRun> there = run_at(run.combination, run.replication);
      const bool is_better = !there || (!there->is_done() && run.is_done());
      if (is_better && add(run)) return;
      const SweepRun kept = is_better ? run_of(run.scenario_hash) : *there;
      if (differs && kept.is_done() && run.is_done() && kept.result != run.result) differs(run);
    });
  });
}

void SweepStore::visit_points(const char* condition,
                              const std::function<void(const SweepRun&)>& visit) const {
  reading(path_, impl_->database, [&] {
    SQLite::Statement query(
        impl_->database,
        fmt::format(
            "SELECT scenario_hash, error, result, wall_s, starling, combination, replication FROM points "
            "LEFT JOIN runs USING (scenario_hash) {} ORDER BY combination, replication",
            condition));
    NotesOfRuns notes(impl_->database);
    while (query.executeStep()) {
      if (query.getColumn(4).isNull()) refuse_damage(path_, missing_run);
      SweepRun run = run_in(path_, query);
      notes.add_to(run);
      run.combination = query.getColumn(5).getInt64();
      run.replication = query.getColumn(6).getInt();
      check_point(path_, plan(), run.combination, query.getColumn(6).getInt64());
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
  return reading(path_, impl_->database,
                 [this] { return impl_->database.execAndGet("SELECT count(*) FROM points").getInt64(); });
}

std::int64_t SweepStore::done_points() const {
  return reading(path_, impl_->database, [this] {
    return impl_->database
        .execAndGet("SELECT count(*) FROM points JOIN runs USING (scenario_hash) WHERE error IS NULL")
        .getInt64();
  });
}

std::vector<InputContent> SweepStore::inputs() const {
  return reading(path_, impl_->database, [this] {
    std::vector<InputContent> inputs;
    SQLite::Statement query(impl_->database,
                            "SELECT DISTINCT file, content FROM points JOIN runs USING (scenario_hash) "
                            "JOIN inputs USING (scenario_hash) WHERE error IS NULL ORDER BY file, content");
    while (query.executeStep())
      inputs.push_back({.file = query.getColumn(0).getString(), .hash = query.getColumn(1).getString()});
    return inputs;
  });
}

std::vector<std::string> SweepStore::builds() const {
  return reading(path_, impl_->database, [this] {
    std::vector<std::string> builds;
    SQLite::Statement query(impl_->database,
                            "SELECT DISTINCT starling FROM points JOIN runs USING (scenario_hash) "
                            "WHERE error IS NULL ORDER BY starling");
    while (query.executeStep()) builds.push_back(query.getColumn(0).getString());
    return builds;
  });
}

}  // namespace starling
