// The program that an author writes down: what it is, what it reads, its cells, its statements.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"
#include "compiler/builder/builder_parts.hpp"
#include "compiler/builder/renumbering.hpp"
#include "compiler/program/program_text.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::cells {
namespace {

Cell::Kind kind_of(const CellType& type) {
  return static_cast<Cell::Kind>(type.index());
}
static_assert(std::is_same_v<
              std::variant_alternative_t<static_cast<std::size_t>(Cell::Kind::number), CellType>,
              NumberType>);
static_assert(std::is_same_v<
              std::variant_alternative_t<static_cast<std::size_t>(Cell::Kind::onehot), CellType>,
              OneHotType>);

const char* kind_name(Cell::Kind kind) {
  constexpr const char* kNames[] = {"constant", "flag",      "onehot", "key",
                                    "pointer",  "direction", "number"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Cells of all programs have different ids, so that one is never taken for another.
std::uint32_t new_id() {
  static std::atomic<std::uint32_t> next = 0;
  return next++;
}

std::shared_ptr<const Cell::Declared> declare(logdepth::Program& program,
                                              std::vector<std::uint32_t>& ids,
                                              const std::string& name, CellType type,
                                              Lifetime lifetime) {
  if (!is_cell_name(name))
    throw InputError(fmt::format(
        "{} is no name of a cell: expected a letter or _, then letters, digits, _ and ., and not "
        "'under', 'from' or 'label'",
        in_quotes(name)));
  if (program.find(name)) throw InputError("cell " + name + " is declared twice");
  if (size_of(type) == 0) throw InputError("cell " + name + " has no components");
  if (const auto* onehot = std::get_if<OneHotType>(&type))
    if (std::set<std::string>(onehot->labels.begin(), onehot->labels.end()).size() !=
        onehot->labels.size())
      throw InputError("duplicate label of cell " + name);
  if (size_of(type) > kMaxWidth)
    throw InputError(fmt::format("cell {} has {} components and the limit is {}", name,
                                 size_of(type), kMaxWidth));
  ids.push_back(new_id());
  program.cells.push_back({name, std::move(type), lifetime});
  return std::make_shared<const Cell::Declared>(Cell::Declared{ids.back(), program.cells.back()});
}

WordInput& words(logdepth::Program& program) {
  auto* const words = std::get_if<WordInput>(&program.input);
  if (!words) throw InputError("only words have a beginning and an end token");
  return *words;
}

/// How a message calls a statement whose cells may be anybody's.
std::string called(const Statement& statement) {
  return std::visit(Overload{[](const FetchStatement& s) { return "fetch " + in_quotes(s.name); },
                             [](const LookupStatement& s) { return "lookup " + in_quotes(s.name); },
                             [](const MoveStatement&) { return std::string("move"); },
                             [](const EraseStatement&) { return std::string("erase"); },
                             [](const NormaliseStatement&) { return std::string("normalise"); },
                             [](const TestStatement&) { return std::string("test"); }},
                    statement);
}

void append(const Program& program, std::vector<Statement>& block,
            std::initializer_list<Statements> parts) {
  for (const Statements& part : parts)
    for (const Statement& statement : part.hidden().list) try {
        block.push_back(placed(program, statement));
      } catch (const InputError& foreign) {
        throw InputError(called(statement) + ": " + foreign.what());
      }
}

}  // namespace

Program::Program(const std::string& name) : program_(std::make_unique<logdepth::Program>()) {
  program_->name = name;
}
Program::Program(const logdepth::Program& program)
    : program_(std::make_unique<logdepth::Program>(program)) {
  for (std::size_t cell = 0; cell < program.cells.size(); ++cell) ids_.push_back(new_id());
}
Program::Program(const Program& other)
    : program_(std::make_unique<logdepth::Program>(*other.program_)), ids_(other.ids_) {}
Program& Program::operator=(const Program& other) {
  *program_ = *other.program_;
  ids_ = other.ids_;
  return *this;
}
Program::~Program() = default;

// --- what it is ----------------------------------------------------------------------------------

Program& Program::construction(const std::string& text) {
  program_->construction = text;
  return *this;
}
Program& Program::source(const std::string& text) {
  program_->source = text;
  return *this;
}
Program& Program::hypothesis(const std::string& text) {
  program_->hypotheses.push_back(text);
  return *this;
}
Program& Program::deviation(const std::string& text) {
  program_->deviations.push_back(text);
  return *this;
}
Program& Program::parameter(const std::string& name, const std::string& value) {
  program_->parameters[name] = value;
  return *this;
}

// --- what it reads, and how often it loops -------------------------------------------------------

Program& Program::alphabet(const std::vector<std::string>& letters) {
  program_->alphabet = letters;
  return *this;
}
Program& Program::no_begin() {
  words(*program_).begin = false;
  return *this;
}
Program& Program::end() {
  words(*program_).end = true;
  return *this;
}
Program& Program::reads_cells() {
  program_->input = CellsInput{};
  return *this;
}
Program& Program::reads_adjacency(GraphPadding padding, std::optional<std::uint32_t> size) {
  GraphInput input;
  input.padding = padding;
  input.size = size;
  program_->input = input;
  return *this;
}
Program& Program::reads_rows(std::uint32_t size) {
  GraphInput input;
  input.layout = GraphInput::Layout::rows;
  input.size = size;
  program_->input = input;
  return *this;
}

Program& Program::fixed_loops(std::uint32_t loops) {
  program_->unroll.kind = Unroll::Kind::fixed;
  program_->unroll.loops = loops;
  return *this;
}
Program& Program::log_loops_of_letters(const Logarithm& logarithm) {
  program_->unroll.kind = Unroll::Kind::ceil_log2_letters;
  program_->unroll.base = logarithm.base;
  program_->unroll.minus = logarithm.minus;
  return *this;
}
Program& Program::log_loops_of_vertices(const Logarithm& logarithm) {
  program_->unroll.kind = Unroll::Kind::ceil_log2_vertices;
  program_->unroll.base = logarithm.base;
  program_->unroll.minus = logarithm.minus;
  return *this;
}
Program& Program::at_most(std::uint64_t size) {
  program_->unroll.max_length = size;
  return *this;
}

// --- cells ---------------------------------------------------------------------------------------

Constant Program::constant(const std::string& name) {
  return Constant(declare(*program_, ids_, name, ConstantType{}, Lifetime::permanent));
}
Flag Program::flag(const std::string& name, Lifetime lifetime) {
  return Flag(declare(*program_, ids_, name, FlagType{}, lifetime));
}
std::vector<Flag> Program::flags(const std::string& name, std::uint32_t count, Lifetime lifetime) {
  std::vector<Flag> flags;
  for (const std::string& each : numbered(count, name + ".")) flags.push_back(flag(each, lifetime));
  return flags;
}
OneHot Program::onehot(const std::string& name, const std::vector<std::string>& labels,
                       Lifetime lifetime) {
  return OneHot(declare(*program_, ids_, name, OneHotType{labels}, lifetime));
}
Key Program::key(const std::string& name, PositionCode code, Lifetime lifetime) {
  return Key(declare(*program_, ids_, name, KeyType{code}, lifetime));
}
Pointer Program::pointer(const std::string& name, PositionCode code, Lifetime lifetime) {
  return Pointer(declare(*program_, ids_, name, PointerType{code}, lifetime));
}
Direction Program::direction(const std::string& name, std::uint32_t size, Lifetime lifetime) {
  return Direction(declare(*program_, ids_, name, DirectionType{size}, lifetime));
}
Direction Program::integer_direction(const std::string& name, std::uint32_t size, Lifetime lifetime,
                                     std::uint32_t bound) {
  return Direction(declare(*program_, ids_, name, DirectionType{size, bound}, lifetime));
}
Number Program::number(const std::string& name, std::uint32_t size, Lifetime lifetime) {
  return Number(declare(*program_, ids_, name, NumberType{size}, lifetime));
}

std::uint32_t Program::place(std::uint32_t id) const {
  const auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (found == ids_.end() || *found != id)
    throw InputError(
        fmt::format("a cell that program {} has not declared: it belongs to another one",
                    in_quotes(program_->name)));
  return static_cast<std::uint32_t>(found - ids_.begin());
}

std::shared_ptr<const Cell::Declared> Program::find(const std::string& name,
                                                    Cell::Kind kind) const {
  const auto id = program_->find(name);
  if (!id)
    throw InputError(
        fmt::format("program {} has no cell {}", in_quotes(program_->name), printable(name)));
  const logdepth::Cell& cell = program_->cells[*id];
  if (kind_of(cell.type) != kind)
    throw InputError(fmt::format("cell {} is a {} and not a {}", name,
                                 kind_name(kind_of(cell.type)), kind_name(kind)));
  return std::make_shared<const Cell::Declared>(Cell::Declared{ids_.at(*id), cell});
}

// --- what fills them before the first layer ------------------------------------------------------

Program& Program::given(const Cell& cell) {
  program_->given.push_back({place(cell.id()), GivenCell::Holds::value});
  return *this;
}
Program& Program::given_position(const Number& cell) {
  program_->given.push_back({place(cell.id()), GivenCell::Holds::position});
  return *this;
}
Program& Program::given_natural(const Number& cell) {
  program_->given.push_back({place(cell.id()), GivenCell::Holds::natural});
  return *this;
}
Program& Program::given_ratio(const Direction& cell) {
  program_->given.push_back({place(cell.id()), GivenCell::Holds::ratio});
  return *this;
}
Program& Program::position(const Cell& cell, std::uint32_t back) {
  program_->position.push_back({place(cell.id()), back});
  return *this;
}
Program& Program::position_parity(const Flag& flag) {
  program_->position.push_back({place(flag.id()), 0, true});
  return *this;
}
Program& Program::at(const std::vector<TableEntry>& entries) {
  std::vector<TableFill> row;
  for (const TableEntry& entry : entries) row.push_back({place(entry.cell), entry.number});
  program_->table.push_back(std::move(row));
  return *this;
}
Program& Program::fill(const std::string& kind, const std::vector<Value>& values) {
  std::vector<TokenFill> added;
  for (const Value& value : values) added.push_back({place(value.cell), value.value});
  auto& fills = program_->embedding[kind];
  fills.insert(fills.end(), added.begin(), added.end());
  return *this;
}

// --- what happens, and what is read off ----------------------------------------------------------

Program& Program::append_initial(std::initializer_list<Statements> parts) {
  append(*this, program_->initial, parts);
  return *this;
}
Program& Program::append_repeated(std::initializer_list<Statements> parts) {
  append(*this, program_->repeated, parts);
  return *this;
}
Program& Program::append_final(std::initializer_list<Statements> parts) {
  append(*this, program_->final, parts);
  return *this;
}

Program& Program::output(const std::string& name, const Form& form) {
  program_->outputs.push_back({name, placed(*this, linear_form(form))});
  return *this;
}
Program& Program::outputs(const std::string& name, const Vector& cell) {
  if (cell.size() == 1) return output(name, cell[0]);
  for (std::uint32_t i = 0; i < cell.size(); ++i) output(fmt::format("{}.{}", name, i), cell[i]);
  return *this;
}
Program& Program::relation() {
  program_->relation = true;
  return *this;
}
Program& Program::prefix(const OneHot& cell,
                         const std::vector<std::vector<std::uint32_t>>& elements) {
  program_->prefix = PrefixElement{place(cell.id()), elements};
  return *this;
}
Program& Program::prefix(const std::vector<Point>& points) {
  PrefixPoints readout;
  for (const Point& point : points)
    readout.points.push_back(point.cell ? PointReadout{place(point.cell->id()), 0}
                                        : PointReadout{std::nullopt, point.image});
  program_->prefix = std::move(readout);
  return *this;
}
Program& Program::prefix_states(const OneHot& cell, const std::vector<std::uint32_t>& states) {
  program_->prefix = PrefixState{place(cell.id()), states};
  return *this;
}

std::string Program::text() const {
  return print_program(*program_);
}

}  // namespace logdepth::cells
