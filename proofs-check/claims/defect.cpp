#include "proofs-check/claims/defect.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "base/phrases.hpp"
#include "compiler/builder/builder_parts.hpp"
#include "compiler/passes/compile.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"

namespace logdepth { inline namespace proofs_check_claims {
namespace {

DefectOutcome examine_refused(const Defect& defect) {
  DefectOutcome finding;
  (void)compile(defect.repaired());
  try {
    (void)compile(defect.program());
  } catch (const ProgramRefused& refused) {
    finding.note = refused.what();
    finding.shown = true;
    return finding;
  }
  finding.note = "the compiler takes it";
  return finding;
}

}  // namespace

std::vector<Defect> with_common(const Defect& common, std::vector<Defect> entries) {
  for (Defect& entry : entries) {
    if (entry.kind == Defect::Kind::recorded) continue;
    if (!entry.repaired) entry.repaired = common.repaired;
    if (!entry.program) entry.program = entry.repaired;
    if (entry.kind == Defect::Kind::refused) continue;
    if (!entry.search) entry.search = common.search;
    if (entry.up_to == 0) entry.up_to = common.up_to;
  }
  return entries;
}

Model model_as_written(const Defect& defect) {
  Model model = with_derived(compile(defect.program(), {defect.norm, false, std::nullopt}));
  if (defect.edit) defect.edit(model);
  return model;
}

DefectOutcome examine(const Defect& defect) {
  if (defect.kind == Defect::Kind::runs) return examine(defect, model_as_written(defect));
  if (defect.kind == Defect::Kind::refused) return examine_refused(defect);
  return {!defect.reason.empty(), std::nullopt, defect.reason};
}

DefectOutcome examine(const Defect& defect, const Model& as_written) {
  const auto found = defect.search(as_written, {defect.up_to});
  if (!found) return {false, found, "the change does not show itself"};
  const auto also =
      defect.search(compile(defect.repaired(), {defect.norm, false, std::nullopt}).model,
                    {defect.up_to, found->tried});
  return {!also, found,
          also ? "the construction without the change is wrong as well, at " + also->input
               : "without the change right on the same " + counted(found->tried, "input")};
}

namespace {

std::uint32_t first_row_of(const CellIndex& cell, const SparseMatrix& matrix) {
  for (const MatrixEntry& e : matrix.entries)
    if (std::find(cell.coordinates.begin(), cell.coordinates.end(), e.row) !=
        cell.coordinates.end())
      return e.row;
  return matrix.rows;
}
bool writes(const CellIndex& cell, const SparseMatrix& matrix) {
  return first_row_of(cell, matrix) < matrix.rows;
}

}  // namespace

std::uint32_t coordinate_of(const Model& model, const std::string& cell, std::uint32_t index) {
  const auto found = model.cells.find(cell);
  if (found == model.cells.end() || index >= found->second.coordinates.size())
    throw std::logic_error(fmt::format("no component {} of a cell {}", index, cell));
  return found->second.coordinates[index];
}

std::uint32_t mirror_of(const Model& model, std::uint32_t coordinate) {
  return coordinate + model.width / 2;
}

HeadPlace head_writing(const Model& model, const std::string& cell, std::size_t which) {
  const CellIndex& index = model.cells.at(cell);
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    const auto& heads = model.layers[layer].attention.heads;
    for (std::size_t head = 0; head < heads.size(); ++head)
      if (writes(index, heads[head].output) && which-- == 0) return {layer, head};
  }
  throw std::logic_error("too few heads write to cell " + cell);
}

Head& head_at(Model& model, const HeadPlace& place) {
  return model.layers.at(place.layer).attention.heads.at(place.head);
}

std::size_t feedforward_of(const Model& model, const std::string& written,
                           const std::string& read) {
  const CellIndex& target = model.cells.at(written);
  const std::uint32_t kept = coordinate_of(model, read);
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    const FeedForward& block = model.layers[layer].feedforward;
    const bool reads = std::any_of(block.mask.begin(), block.mask.end(),
                                   [&](const SparseEntry& e) { return e.index == kept; });
    if (reads && writes(target, block.out)) return layer;
  }
  throw std::logic_error("no feed-forward sublayer reads " + read + " and writes " + written);
}

namespace {

auto position(SparseVector& vector, std::uint32_t index) {
  return std::lower_bound(vector.begin(), vector.end(), index,
                          [](const SparseEntry& e, std::uint32_t i) { return e.index < i; });
}
auto position(SparseMatrix& matrix, std::uint32_t row, std::uint32_t column) {
  return std::lower_bound(
      matrix.entries.begin(), matrix.entries.end(), std::pair(row, column),
      [](const MatrixEntry& e, const auto& place) { return std::pair(e.row, e.column) < place; });
}

template <class Entries, class Iterator, class Entry>
void put(Entries& entries, Iterator at, bool there, const Entry& entry, Before before) {
  if (there != (before == Before::present))
    throw std::logic_error("an edit of weights found an entry there or not there unexpectedly");
  if (there && entry.value.is_zero()) {
    entries.erase(at);
  } else if (there) {
    at->value = entry.value;
  } else {
    entries.insert(at, entry);
  }
}

}  // namespace

const Rational& entry(const SparseVector& vector, std::uint32_t index) {
  for (const SparseEntry& e : vector)
    if (e.index == index) return e.value;
  throw std::logic_error(fmt::format("a vector has no entry {}", index));
}

const Rational& entry(const SparseMatrix& matrix, std::uint32_t row, std::uint32_t column) {
  for (const MatrixEntry& e : matrix.entries)
    if (e.row == row && e.column == column) return e.value;
  throw std::logic_error(fmt::format("a matrix has no entry {}, {}", row, column));
}

void set_entry(SparseVector& vector, std::uint32_t index, const Rational& value, Before before) {
  const auto at = position(vector, index);
  put(vector, at, at != vector.end() && at->index == index, SparseEntry{index, value}, before);
}

void set_entry(SparseMatrix& matrix, std::uint32_t row, std::uint32_t column, const Rational& value,
               Before before) {
  const auto at = position(matrix, row, column);
  const bool there = at != matrix.entries.end() && at->row == row && at->column == column;
  put(matrix.entries, at, there, MatrixEntry{row, column, value}, before);
}

void scale_row(SparseMatrix& matrix, std::uint32_t row, const Rational& factor) {
  bool found = false;
  for (MatrixEntry& e : matrix.entries)
    if (e.row == row) {
      e.value = e.value * factor;
      found = true;
    }
  if (!found) throw std::logic_error(fmt::format("row {} of a matrix is zero", row));
}

std::uint32_t value_row(const Head& head, std::uint32_t coordinate) {
  for (const MatrixEntry& e : head.output.entries)
    if (e.row == coordinate) return e.column;
  throw std::logic_error(fmt::format("a head does not write to coordinate {}", coordinate));
}

Layer negated(Layer layer) {
  for (Head& head : layer.attention.heads)
    for (MatrixEntry& e : head.output.entries) e.value = -e.value;
  for (MatrixEntry& e : layer.feedforward.out.entries) e.value = -e.value;
  return layer;
}

namespace {

/// The first case that fails, by its answers alone: a defect of a text is about these.
template <class Input>
std::optional<DefectCounterexample> search(TestDomain<Input>& questions, CaseGenerator<Input> cases,
                                           SearchBounds bounds) {
  Asking how;
  how.answers_only = true;
  how.shrinks = false;  // cases come by increasing size
  how.most = bounds.inputs;
  const auto found = examine(questions, std::move(cases), how);
  if (!found.counterexample) return std::nullopt;
  const auto& [input, finding, first, number] = *found.counterexample;
  DefectCounterexample example{questions.text(input), expected_text(finding), got_text(finding),
                               static_cast<std::size_t>(found.asked), std::nullopt};
  if (const auto* none = std::get_if<NoAnswer>(&finding)) example.refusal = none->refusal;
  return example;
}

template <class Input>
CaseGenerator<Input> one_by_one(const std::vector<Input>& inputs) {
  std::vector<AskedCase<Input>> cases;
  for (const Input& input : inputs) cases.push_back({CaseStage::exhaustive, {input}});
  return listed_cases(std::move(cases));
}

/// The product of a word, as the file reads it at the last token. What changes a part of a construction
/// may have no verdict and no other prefixes.
class ProductDomain : public WordDomain {
 public:
  ProductDomain(const Model& model, const Action& action, const LanguageOracle& oracle)
      : WordDomain(model, oracle), action_(action) {}

  FileAnswer expected(const Word& word) const override {
    Transformation product = identity_transformation(action_.points);
    for (const Letter letter : word) product = compose(product, action_.generators[letter]);
    return PrefixValue{word.size(), false, product};
  }
  std::optional<Failure> judge(const Word& word, DecidedRun& run, ComparedCounts&) override {
    const auto right = std::get<PrefixValue>(expected(word));
    const auto got = run.prefix(run.tokens() - 1);
    if (!got.has_value()) return NoAnswer{right, got.refusal()};
    if (got.value() == right.value) return std::nullopt;
    return WrongAnswer{right, PrefixValue{word.size(), false, got.value()}};
  }

 private:
  const Action& action_;
};

/// Numbers that depend on the length of a word alone.
class NumbersOfLengths : public LanguageOracle {
 public:
  NumbersOfLengths(const Model& model, std::function<std::vector<Real>(std::size_t)> numbers)
      : alphabet_(model.alphabet),
        names_(std::get<CellsOutput>(model.output).names),
        numbers_(std::move(numbers)) {}

  const Alphabet& alphabet() const override { return alphabet_; }
  bool accepts(const Word&) const override { return false; }  // nobody asks for verdicts
  std::optional<std::string> named_values(const Word& word) const override {
    std::string text;
    const std::vector<Real> numbers = numbers_(word.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      std::string number = numbers.at(i).text();
      std::erase(number, ' ');
      text += names_[i] + "=" + number + " ";
    }
    return text;
  }
  std::string name() const override { return "the length"; }

 private:
  Alphabet alphabet_;
  std::vector<std::string> names_;
  std::function<std::vector<Real>(std::size_t)> numbers_;
};

}  // namespace

std::optional<DefectCounterexample> search_division(const Model& model, SearchBounds bounds) {
  DivisionDomain questions(model);
  std::vector<DivisionInput> inputs;
  for (std::uint64_t i = 0; i <= bounds.size; ++i)
    for (std::uint64_t m = 1; m <= i + 1; ++m)
      for (std::uint64_t back = 0; back <= i; ++back) {
        DivisionInput input{m, {}};
        for (std::uint64_t j = 0; j <= i; ++j) input.dividends.push_back(j);
        input.dividends.back() = i - back;
        inputs.push_back(std::move(input));
      }
  return search(questions, one_by_one(inputs), bounds);
}

std::optional<DefectCounterexample> search_graphs(const Model& model, SearchBounds bounds) {
  GraphDomain questions(model, false);
  return search(questions, every_graph(questions, GraphClass::labelled, 1, bounds.size, 1), bounds);
}

DefectSearch search_words(const Action& action) {
  return [action](const Model& model, SearchBounds bounds) {
    const auto oracle = make_action_oracle(action, "the product of the letters");
    ProductDomain questions(model, action, *oracle);
    return search(questions, every_word(model, bounds.size), bounds);
  };
}

DefectSearch search_raw(std::function<std::vector<RawCase>(std::size_t size)> cases,
                        std::vector<std::string> blank) {
  return [cases = std::move(cases), blank = std::move(blank)](const Model& model,
                                                              SearchBounds bounds) {
    std::vector<RawInput> inputs;
    std::map<std::string, std::vector<Real>> expected;  // by the input's text
    for (std::size_t size = 0; size <= bounds.size; ++size)
      for (RawCase& one : cases(size)) {
        expected[one.input.text] = std::move(one.expected);
        inputs.push_back(std::move(one.input));
      }
    std::vector<std::string> cells = blank;
    std::erase_if(cells, [&](const std::string& cell) { return !model.cells.contains(cell); });
    const auto outputs = [&](const RawInput& input) {
      std::vector<std::vector<Real>> found(input.rows.size());
      found.back() = expected.at(input.text);
      return found;
    };
    StreamDomain questions(model, outputs, cells);
    return search(questions, one_by_one(inputs), bounds);
  };
}

DefectSearch search_lengths(std::function<std::vector<Real>(std::size_t letters)> expected) {
  return [expected = std::move(expected)](const Model& model, SearchBounds bounds) {
    const NumbersOfLengths oracle(model, expected);
    WordDomain questions(model, oracle);
    std::vector<Word> words;
    for (std::size_t letters = 1; letters <= bounds.size; ++letters) words.emplace_back(letters, 0);
    return search(questions, one_by_one(words), bounds);
  };
}

namespace {

bool is_called(const Program& program, const Statement& statement, const std::string& name) {
  if (const auto* head = std::get_if<FetchStatement>(&statement)) return head->name == name;
  if (const auto* lookup = std::get_if<LookupStatement>(&statement)) return lookup->name == name;
  return statement_name(program, statement) == name;
}

void require_found(std::size_t found, std::size_t times, const std::string& what) {
  if (found != times)
    throw std::logic_error(
        fmt::format("a change finds {} {} times and not {} times", what, found, times));
}

template <class Value>
void assign(Value& value, Value changed, const std::string& where) {
  if (value == changed) throw std::logic_error("a change does nothing to " + where);
  value = std::move(changed);
}

std::vector<Rule> rules_of(const cells::Program& program, const cells::Rules& rules) {
  const cells::Statements table = cells::lookup("", rules);
  return placed(program, std::get<LookupStatement>(table.hidden().list.front()).rules);
}

/// The element at `from` comes to stand right behind that at `behind`.
template <class List>
void put_element_behind(List& list, std::size_t from, std::size_t behind) {
  const auto element = list.begin() + static_cast<std::ptrdiff_t>(from);
  const auto other = list.begin() + static_cast<std::ptrdiff_t>(behind);
  if (from < behind)
    std::rotate(element, element + 1, other + 1);
  else
    std::rotate(other + 1, element, element + 1);
}

}  // namespace

std::vector<ChangedProgram::Place> ChangedProgram::find_statement(const std::string& name,
                                                                  std::size_t times) {
  logdepth::Program& program = cells::Program::program();
  std::vector<Place> places;
  for (auto* block : {&program.initial, &program.repeated, &program.final})
    for (std::size_t i = 0; i < block->size(); ++i)
      if (is_called(program, (*block)[i], name)) places.push_back({block, i});
  require_found(places.size(), times, fmt::format("the statement '{}'", name));
  return places;
}

template <class Kind>
std::vector<Kind*> ChangedProgram::named(const std::string& name, std::size_t times) {
  std::vector<Kind*> found;
  for (const auto& [block, index] : find_statement(name, times))
    if (auto* statement = std::get_if<Kind>(&(*block)[index])) found.push_back(statement);
  require_found(found.size(), times, fmt::format("'{}' as a statement of this kind", name));
  return found;
}

ChangedProgram& ChangedProgram::select(const std::string& head, const cells::Selector& selector,
                                       std::size_t times) {
  for (FetchStatement* fetch : named<FetchStatement>(head, times))
    assign(fetch->selector, placed(*this, selector.hidden().selector), head);
  return *this;
}

ChangedProgram& ChangedProgram::add(const std::string& head, const cells::Component& target,
                                    const cells::Form& form) {
  const auto wanted = placed(*this, SumWrite{{target.cell, target.index}, linear_form(form)});
  std::size_t found = 0;
  for (HeadWrite& write : named<FetchStatement>(head, 1).front()->writes) {
    auto* sum = std::get_if<SumWrite>(&write);
    if (!sum || sum->target != wanted.target) continue;
    ++found;
    assign(sum->form, wanted.form, head);
  }
  require_found(found, 1, fmt::format("what '{}' adds to the component", head));
  return *this;
}

ChangedProgram& ChangedProgram::drop_write(const std::string& head, const cells::Cell& target) {
  const auto dropped =
      std::erase_if(named<FetchStatement>(head, 1).front()->writes, [&](const HeadWrite& write) {
        const auto* copy = std::get_if<CopyWrite>(&write);
        const auto* sum = std::get_if<SumWrite>(&write);
        const auto* set = std::get_if<SetWrite>(&write);
        return (copy ? copy->target : sum ? sum->target.cell : set->cell) == place(target.id());
      });
  require_found(dropped, 1, fmt::format("what '{}' writes to {}", head, target.name()));
  return *this;
}

ChangedProgram& ChangedProgram::replace_rules(const std::string& lookup, const cells::Rules& rules,
                                              const cells::Rules& by, std::size_t times) {
  const std::vector<Rule> before = rules_of(*this, rules), after = rules_of(*this, by);
  for (LookupStatement* table : named<LookupStatement>(lookup, times)) {
    auto& list = table->rules;
    const auto begin = std::search(list.begin(), list.end(), before.begin(), before.end());
    require_found(begin == list.end() ? 0 : 1, 1, fmt::format("the rules in '{}'", lookup));
    std::vector<Rule> changed(list.begin(), begin);
    changed.insert(changed.end(), after.begin(), after.end());
    changed.insert(changed.end(), begin + static_cast<std::ptrdiff_t>(before.size()), list.end());
    assign(list, std::move(changed), lookup);
  }
  return *this;
}

ChangedProgram& ChangedProgram::ask(const std::string& lookup, const cells::Cell& cell,
                                    const cells::Cell& instead, std::size_t times) {
  if (cell.declared().cell.type != instead.declared().cell.type)
    throw std::logic_error(cell.name() + " and " + instead.name() + " are not of the same type");
  for (LookupStatement* table : named<LookupStatement>(lookup, times)) {
    std::vector<Rule> changed = table->rules;
    for (Rule& rule : changed)
      for (Literal& literal : rule.when)
        if (literal.cell == place(cell.id())) literal.cell = place(instead.id());
    assign(table->rules, std::move(changed), lookup);
  }
  return *this;
}

ChangedProgram& ChangedProgram::drop(const std::string& statement) {
  return replace(statement, {});
}

ChangedProgram& ChangedProgram::replace(const std::string& statement, const cells::Statements& by) {
  const auto [block, index] = find_statement(statement, 1).front();
  const auto at = block->begin() + static_cast<std::ptrdiff_t>(index);
  std::vector<Statement> changed(block->begin(), at);
  const std::vector<Statement> list = placed(*this, by.hidden().list);
  changed.insert(changed.end(), list.begin(), list.end());
  changed.insert(changed.end(), at + 1, block->end());
  assign(*block, std::move(changed), statement);
  return *this;
}

ChangedProgram& ChangedProgram::move_behind(const std::string& statement,
                                            const std::string& other) {
  const auto [block, index] = find_statement(statement, 1).front();
  const auto [there, behind] = find_statement(other, 1).front();
  if (block != there || behind <= index)
    throw std::logic_error(statement + " is not before " + other + " in one block");
  put_element_behind(*block, index, behind);
  return *this;
}

ChangedProgram& ChangedProgram::drop_block(Block block) {
  logdepth::Program& program = cells::Program::program();
  auto& statements = block == Block::initial    ? program.initial
                     : block == Block::repeated ? program.repeated
                                                : program.final;
  assign(statements, {}, "the " + block_name(block) + " block");
  return *this;
}

CellId ChangedProgram::id_of(const std::string& cell) const {
  const auto id = cells::Program::program().find(cell);
  if (!id) throw std::logic_error("a change finds no cell " + cell);
  return *id;
}

ChangedProgram& ChangedProgram::drop_cell(const std::string& cell) {
  dropped_.insert(id_of(cell));
  return *this;
}

ChangedProgram& ChangedProgram::put_behind(const cells::Cell& cell, const std::string& other) {
  behind_.emplace_back(place(cell.id()), id_of(other));
  return *this;
}

logdepth::Program ChangedProgram::program() const {
  logdepth::Program changed = cells::Program::program();
  std::vector<CellId> order(changed.cells.size());
  std::iota(order.begin(), order.end(), CellId{0});
  const auto is = [](CellId cell) {
    return [cell](const auto& place) { return place.cell == cell; };
  };
  for (const auto& [cell, other] : behind_) {
    const auto at = std::find(order.begin(), order.end(), cell),
               behind = std::find(order.begin(), order.end(), other);
    if (at == behind + 1) throw std::logic_error("the place already holds a cell");
    put_element_behind(order, static_cast<std::size_t>(at - order.begin()),
                       static_cast<std::size_t>(behind - order.begin()));
    auto& given = changed.given;
    const auto input = std::find_if(given.begin(), given.end(), is(cell)),
               after = std::find_if(given.begin(), given.end(), is(other));
    if (input != given.end() && after != given.end())
      put_element_behind(given, static_cast<std::size_t>(input - given.begin()),
                         static_cast<std::size_t>(after - given.begin()));
  }
  std::erase_if(order, [&](CellId cell) { return dropped_.contains(cell); });

  std::vector<std::optional<CellId>> numbers(changed.cells.size());
  std::vector<Cell> declared;
  for (const CellId cell : order) {
    numbers[cell] = static_cast<CellId>(declared.size());
    declared.push_back(std::move(changed.cells[cell]));
  }
  changed.cells = std::move(declared);
  Renumbering([&](CellId cell) {
    if (!numbers[cell]) throw std::logic_error("a cell that was dropped is still named");
    return *numbers[cell];
  })(changed);
  return changed;
}

}}  // namespace logdepth::proofs_check_claims
