// The program that an author writes down: what it is, what it reads, its cells, its statements.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <set>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "compiler/builder/builder_parts.hpp"
#include "compiler/program/program.hpp"
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

Program& Program::append(Phase phase, std::initializer_list<Statements> parts) {
  std::vector<Statement>& list = phase == Phase::initial    ? program_->initial
                                 : phase == Phase::repeated ? program_->repeated
                                                            : program_->final;
  for (const Statements& part : parts)
    for (const Statement& statement : part.hidden().list) try {
        list.push_back(placed(*this, statement));
      } catch (const InputError& foreign) {
        throw InputError(called(statement) + ": " + foreign.what());
      }
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

// What statements are made of: numbers, forms, selectors, heads, rules.

namespace {

std::uint32_t label_index(const OneHot& cell, const std::string& label) {
  const auto& labels = cell.labels();
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found == labels.end())
    throw InputError(fmt::format("cell {} has no label {}: expected one of {}", cell.name(),
                                 in_quotes(label), shortened(labels)));
  return static_cast<std::uint32_t>(found - labels.begin());
}

Literal literal(const Value& value) {
  return {value.cell, value.value};
}

logdepth::Component component(const Component& component) {
  return {component.cell, component.index};
}

Term term(const Form::Term& term) {
  return {component(term.component), Rational(term.factor.p, term.factor.q)};
}

/// The one component of a form that has to be one.
const Form::Term& single(const Form& form, const char* what) {
  if (form.terms().size() != 1)
    throw InputError(fmt::format("{} is one component, possibly with a factor, and not a sum of {}",
                                 what, form.terms().size()));
  return form.terms().front();
}

/// What is tested is a component as it stands: a factor could turn its sign.
logdepth::Component tested(const Form& form) {
  const Form::Term& term = single(form, "what is tested");
  if (term.factor.p != 1 || term.factor.q != 1)
    throw InputError("what is tested is one component without a factor");
  return component(term.component);
}

logdepth::Ratio ratio(const Ratio& r) {
  return {linear_form(r.numerator), linear_form(r.denominator)};
}

}  // namespace

/// Makes selectors: their constructor is nobody else's business.
class Selectors {
 public:
  template <class As = Selector, class Kind>
  static As make(Kind selector) {
    return As(std::make_shared<const Selector::Hidden>(Selector::Hidden{std::move(selector)}));
  }
};

// --- numbers, cells and what is read of them -----------------------------------------------------

Fraction::Fraction(std::int64_t numerator, std::int64_t denominator) {
  if (denominator <= 0) throw InputError("the denominator of a fraction is a positive number");
  const std::int64_t common = std::gcd(numerator, denominator);
  p = numerator / common;
  q = denominator / common;
}

const std::string& Cell::name() const {
  return declared_->cell.name;
}
std::uint32_t Cell::size() const {
  return size_of(declared_->cell.type);
}
std::uint32_t Cell::id() const {
  return declared_->id;
}

const std::vector<std::string>& OneHot::labels() const {
  return std::get<OneHotType>(declared_->cell.type).labels;
}
Value OneHot::operator==(const std::string& label) const {
  return {id(), label_index(*this, label)};
}
Component OneHot::operator[](const std::string& label) const {
  return {id(), label_index(*this, label)};
}
Value OneHot::at(std::uint32_t label) const {
  if (label >= size())
    throw InputError(fmt::format("cell {} has {} labels, and no number {}", name(), size(), label));
  return {id(), label};
}

std::vector<std::string> numbered(std::uint32_t count, const std::string& prefix) {
  std::vector<std::string> labels;
  for (std::uint32_t i = 0; i < count; ++i) labels.push_back(prefix + std::to_string(i));
  return labels;
}

Component Vector::operator[](std::uint32_t index) const {
  if (index >= size())
    throw InputError(fmt::format("cell {} has {} components, from 0: there is no {}[{}]", name(),
                                 size(), name(), index));
  return {id(), index};
}

Form::Form(const Component& component) : terms_{{component, 1}} {}
Form::Form(const Constant& cell) : Form(Component{cell.id(), 0}) {}
Form::Form(const Flag& cell) : Form(Component{cell.id(), 0}) {}
Form::Form(const Number& cell) : Form(Component{cell.id(), 0}) {
  if (cell.size() != 1)
    throw InputError(fmt::format("cell {} has {} components: expected {}[...]", cell.name(),
                                 cell.size(), cell.name()));
}

Form& Form::operator+=(const Form& more) {
  const std::vector<Term> added = more.terms_;  // a form may be added to itself
  terms_.insert(terms_.end(), added.begin(), added.end());
  return *this;
}
Form operator+(Form a, const Form& b) {
  return std::move(a += b);
}

Form operator*(const Fraction& factor, Form form) {
  for (Form::Term& term : form.terms_) {
    const auto product =
        (Rational(factor.p, factor.q) * Rational(term.factor.p, term.factor.q)).small();
    if (!product) throw InputError("a factor of a linear form has more than 63 bits");
    term.factor = {product->numerator, product->denominator};
  }
  std::erase_if(form.terms_, [](const Form::Term& term) { return term.factor.p == 0; });
  return form;
}

Form operator-(const Form& form) {
  return Fraction(-1) * form;
}
Form operator-(const Form& a, const Form& b) {
  return a + -b;
}
Form operator/(const Form& form, int divisor) {
  return Fraction(1, divisor) * form;
}

Ratio::Ratio(const Vector& cell) : numerator(cell[0]), denominator(cell[1]) {
  if (cell.size() != 2)
    throw InputError(
        fmt::format("cell {} has {} components, so it codes no number: expected "
                    "numerator / denominator",
                    cell.name(), cell.size()));
}
Ratio Ratio::back(std::uint32_t by) const {
  return {numerator - Fraction(by) * denominator, denominator};
}
Ratio operator/(const Form& numerator, const Form& denominator) {
  return {numerator, denominator};
}

CellList::CellList(const Product& product) {
  for (const OneHot& row : product) cells_.push_back(row.id());
}
CellList::CellList(const std::vector<Flag>& flags) {
  for (const Flag& flag : flags) cells_.push_back(flag.id());
}
CellList::CellList(std::initializer_list<CellList> lists) {
  for (const CellList& list : lists) *this += list;
}
CellList& CellList::operator+=(const CellList& more) {
  cells_.insert(cells_.end(), more.cells_.begin(), more.cells_.end());
  return *this;
}

LinearForm linear_form(const Form& form) {
  LinearForm result;
  for (const Form::Term& t : form.terms()) result.push_back(term(t));
  return result;
}

// --- what a head selects -------------------------------------------------------------------------

Selector uniform() {
  return Selectors::make(SelectAll{});
}
Selector same(const CellList& cells) {
  require(!cells.cells().empty(), "same: expected a cell");
  return Selectors::make(SelectSame{cells.cells()});
}

Match Match::back(std::uint32_t by) const {
  Match match = *this;
  match.back_ = by;
  return match;
}
Selector Match::key(const Key& key) const {
  return Selectors::make(SelectPointed{pointer_, key.id(), back_});
}
Match match(const Pointer& pointer) {
  return Match(pointer);
}
Match match(const Key& key) {
  return Match(key);
}

Rightmost Rightmost::same(const OneHot& own, const OneHot& there) const {
  Rightmost changed = *this;
  changed.same_ = {own.id(), there.id()};
  return changed;
}
Selector Rightmost::key(const Key& key) const {
  SelectRightmost rightmost;
  if (same_) rightmost.shared = {same_->first, same_->second};
  for (const Value& value : values_) rightmost.flags.push_back(literal(value));
  rightmost.key = key.id();
  return Selectors::make(std::move(rightmost));
}

Selector Nearest::key(const Key& key) const {
  return Selectors::make(SelectNearest{ratio(target_), key.id()});
}
Nearest nearest(Ratio target) {
  return Nearest(std::move(target));
}

Flagged flagged(const Value& value) {
  return Selectors::make<Flagged>(SelectFlagged{literal(value), std::nullopt});
}
Flagged Flagged::when(const Value& value) const {
  SelectFlagged changed = std::get<SelectFlagged>(hidden_->selector);
  changed.when = literal(value);
  return Selectors::make<Flagged>(std::move(changed));
}

Found::Term find(const Ratio& wanted) {
  return {wanted, nullptr, false};
}
Found::Term find_one(const Ratio& wanted) {
  return {wanted, nullptr, true};
}
Found::Term Found::also(const Ratio& wanted) const {
  return {wanted, hidden_, std::get<SelectFound>(hidden_->selector).one};
}
Found Found::Term::key(const Cell& key) const {
  SelectFound found = before_ ? std::get<SelectFound>(before_->selector) : SelectFound{};
  found.one = one_;
  found.terms.push_back({ratio(wanted_), key.id()});
  return Selectors::make<Found>(std::move(found));
}
Selector Found::prefer(const Value& value, const Form& margin) const {
  SelectFound found = std::get<SelectFound>(hidden_->selector);
  found.prefer = Preference{literal(value), term(single(margin, "a margin"))};
  return Selectors::make(std::move(found));
}

Related Related::label(const OneHot& cell) const {
  Related related = *this;
  related.label_ = cell.id();
  return related;
}
Selector Related::prefer(const Value& value) const {
  if (!label_) throw InputError("related: expected .label(...) before .prefer(...)");
  return Selectors::make(SelectRelated{flags_, *label_, literal(value)});
}
Related related(const std::vector<Flag>& flags) {
  return Related(flags);
}

// --- statements ----------------------------------------------------------------------------------

Statements statements(std::vector<Statement> list) {
  return Statements(
      std::make_shared<const Statements::Hidden>(Statements::Hidden{std::move(list)}));
}

Statements::Statements() : Statements(std::make_shared<const Hidden>()) {}
Statements::Statements(std::initializer_list<Statements> parts) {
  auto all = std::make_shared<Hidden>();
  for (const Statements& part : parts)
    all->list.insert(all->list.end(), part.hidden().list.begin(), part.hidden().list.end());
  hidden_ = std::move(all);
}
bool Statements::empty() const {
  return hidden_->list.empty();
}
Statements& Statements::operator+=(const Statements& more) {
  return *this = Statements{*this, more};
}

Fetch::Fetch(const std::string& name) {
  auto hidden = std::make_shared<Hidden>();
  hidden->fetch.name = name;
  hidden_ = std::move(hidden);
}

/// A head is a value: this is another one, with something more said about it.
template <class Change>
Fetch Fetch::with(const Change& change) const {
  auto hidden = std::make_shared<Hidden>(*hidden_);
  change(*hidden);
  Fetch fetch = *this;
  fetch.hidden_ = std::move(hidden);
  return fetch;
}

Fetch Fetch::causal(const Selector& selector) const {
  return with([&](Hidden& head) {
    head.fetch.causal = true;
    head.fetch.selector = selector.hidden().selector;
    head.selects = true;
  });
}
Fetch Fetch::unmasked(const Selector& selector) const {
  return with([&](Hidden& head) {
    head.fetch.causal = false;
    head.fetch.selector = selector.hidden().selector;
    head.selects = true;
  });
}
Fetch Fetch::under(const CellList& cells) const {
  return with([&](Hidden& head) { head.fetch.under = cells.cells(); });
}
Fetch Fetch::copy(const Cell& target, const Cell& source) const {
  return with([&](Hidden& head) {
    head.fetch.writes.push_back(CopyWrite{target.id(), source.id()});
  });
}
Fetch Fetch::copy(const Product& target, const Product& source) const {
  if (target.size() != source.size())
    throw InputError(fmt::format("fetch {}: a product of {} rows is copied to one of {}",
                                 in_quotes(hidden_->fetch.name), source.size(), target.size()));
  return with([&](Hidden& head) {
    for (std::size_t row = 0; row < target.size(); ++row)
      head.fetch.writes.push_back(CopyWrite{target[row].id(), source[row].id()});
  });
}
Fetch Fetch::add(const Component& target, const Form& form) const {
  return with([&](Hidden& head) {
    head.fetch.writes.push_back(SumWrite{component(target), linear_form(form)});
  });
}
Fetch Fetch::add(const Number& target, const Form& form) const {
  return add(single(target, "what a head adds to").component, form);
}
Fetch Fetch::set(const Value& value) const {
  return with([&](Hidden& head) {
    head.fetch.writes.push_back(SetWrite{value.cell, value.value});
  });
}
Fetch::operator Statements() const {
  if (!hidden_->selects)
    throw InputError(
        fmt::format("fetch {} has no selector: expected .causal(...) "
                    "or .unmasked(...)",
                    in_quotes(hidden_->fetch.name)));
  return statements({hidden_->fetch});
}

Statements undone(const Statements& heads) {
  std::vector<Statement> list;
  for (const Statement& statement : heads.hidden().list) {
    const auto* head = std::get_if<FetchStatement>(&statement);
    if (!head)
      throw InputError("undone(...) takes back what heads added: expected statements fetch alone");
    FetchStatement again = *head;
    again.name += "_again";
    std::erase_if(again.writes,
                  [](const HeadWrite& write) { return !std::holds_alternative<SumWrite>(write); });
    for (HeadWrite& write : again.writes)
      for (Term& term : std::get<SumWrite>(write).form) term.factor = -term.factor;
    if (!again.writes.empty()) list.push_back(std::move(again));
  }
  return statements(std::move(list));
}

Rules under(const std::vector<Value>& conditions, Rules rules) {
  for (Rule& rule : rules)
    rule.when.insert(rule.when.begin(), conditions.begin(), conditions.end());
  return rules;
}

Statements lookup(const std::string& name, const Rules& rules,
                  const std::vector<Value>& otherwise) {
  LookupStatement lookup{name, {}};
  for (const Value& value : otherwise) lookup.otherwise.push_back({value.cell, value.value});
  for (const Rule& rule : rules) {
    require(!rule.then.empty(), "lookup " + in_quotes(name) + ": a rule assigns nothing");
    logdepth::Rule& added = lookup.rules.emplace_back();
    for (const Value& value : rule.when) added.when.push_back(literal(value));
    for (const Value& value : rule.then) added.then.push_back({value.cell, value.value});
  }
  return statements({std::move(lookup)});
}

Statements move(const Cell& target, const Cell& source, const std::vector<Value>& when) {
  MoveStatement move{target.id(), source.id()};
  for (const Value& value : when) move.when.push_back(literal(value));
  return statements({std::move(move)});
}
Statements erase(const CellList& cells) {
  require(!cells.cells().empty(), "erase: expected a cell");
  return statements({EraseStatement{cells.cells()}});
}

Statements Normalise::from(const std::vector<Form>& group) const {
  require(!targets_.cells().empty(), "normalise: expected a cell");
  NormaliseStatement normalise{targets_.cells(), {}};
  for (const Form& form : group)
    normalise.group.push_back(term(single(form, "what is normalised")));
  return statements({std::move(normalise)});
}

Statements Test::zero(const Form& number) const {
  return statements({TestStatement{flag_, TestStatement::Kind::zero, tested(number)}});
}
Statements Test::positive(const Form& number) const {
  return statements({TestStatement{flag_, TestStatement::Kind::positive, tested(number)}});
}

}  // namespace logdepth::cells
