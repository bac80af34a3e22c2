// Cells of a program, and what is read of them: numbers, forms, values.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "logdepth/errors.hpp"
#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

cells::Fraction exact(nb::handle number) {
  if (PyFloat_Check(number.ptr()))
    throw InputError("expected an exact number, found the float " + shown(number) +
                     ": write Fraction(\"" + shown(number) + "\"), or divide by an int");
  if (!nb::isinstance(number, nb::module_::import_("numbers").attr("Rational")))
    throw InputError("expected an int or a Fraction, found a " + type_of(number));
  std::int64_t p = 0, q = 1;
  if (!nb::try_cast(nb::int_(number.attr("numerator")), p) ||
      !nb::try_cast(nb::int_(number.attr("denominator")), q))
    throw InputError(
        "expected a number whose numerator and denominator have at most 63 bits, found " +
        shown(number));
  return {p, q};
}

cells::Form form_of(nb::handle form) {
  if (form.is_none() || (PyLong_Check(form.ptr()) && !nb::cast<bool>(nb::bool_(form)))) return {};
  cells::Form found;
  if (!nb::try_cast(form, found))
    throw InputError("expected a linear form of cells, as letter[\"a\"] - one / 2, found a " +
                     type_of(form));
  return found;
}

cells::CellList cells_of(nb::handle cells) {
  if (nb::isinstance<cells::Cell>(cells)) return nb::cast<const cells::Cell&>(cells);
  if (!nb::isinstance<nb::list>(cells) && !nb::isinstance<nb::tuple>(cells))
    throw InputError("expected cells, found a " + type_of(cells));
  cells::CellList all;
  for (const nb::handle part : cells) all += cells_of(part);
  return all;
}

std::vector<cells::Value> values_of(nb::handle values) {
  std::vector<cells::Value> all;
  for (const nb::handle value : values) {
    if (!nb::try_cast(value, all.emplace_back()))
      throw InputError("expected a value of a cell, as letter == \"a\", flag or ~flag, found a " +
                       type_of(value));
  }
  return all;
}

namespace {

[[noreturn]] void no_truth(const char* instead) {
  throw nb::type_error(
      (std::string("what a cell holds is known token by token, when the network runs: write ") +
       instead)
          .c_str());
}

/// `cell == other`: a value, by `value`. Beside another cell Python asks whether they are the same one.
template <class Value>
nb::object equal_to(nb::handle other, const Value& value) {
  if (nb::isinstance<cells::Cell>(other)) return nb::borrow(nb::handle(Py_NotImplemented));
  return nb::cast(value());
}

/// Sums, differences, multiples and quotients of what stands for a form.
template <class Of, class... Base>
void bind_arithmetic(nb::class_<Of, Base...>& of) {
  using cells::Form;
  of.attr("__array_ufunc__") = nb::none();  // else numpy makes an array of `numpy.int64(3) * form`
  of.def(
        "__add__", [](const Of& a, const Form& b) { return Form(a) + b; }, nb::is_operator(),
        nb::sig("def __add__(self, other: " FORM ") -> Form"), "The sum of two forms.")
      .def(
          "__radd__", [](const Of& a, nb::handle start) { return form_of(start) + Form(a); },
          nb::is_operator(), nb::sig("def __radd__(self, start: int) -> Form"),
          "`0 + form`, with which `sum(forms)` begins.")
      .def(
          "__sub__", [](const Of& a, const Form& b) { return Form(a) - b; }, nb::is_operator(),
          nb::sig("def __sub__(self, other: " FORM ") -> Form"), "The difference of two forms.")
      .def(
          "__neg__", [](const Of& a) { return -Form(a); }, "The form with all factors negated.")
      .def(
          "__mul__", [](const Of& a, nb::handle factor) { return exact(factor) * Form(a); },
          nb::sig("def __mul__(self, factor: int | fractions.Fraction) -> Form"),
          "A multiple. BadInput for a float: a factor is exact.")
      .def(
          "__rmul__", [](const Of& a, nb::handle factor) { return exact(factor) * Form(a); },
          nb::sig("def __rmul__(self, factor: int | fractions.Fraction) -> Form"),
          "A multiple. BadInput for a float: a factor is exact.")
      .def(
          "__truediv__",
          [](const Of& a, nb::handle divisor) {
            if (!PyNumber_Check(divisor.ptr()) || nb::isinstance<cells::Cell>(divisor))
              throw nb::next_overload();
            const cells::Fraction by = exact(divisor);
            require(by.p != 0, "a form is divided by 0");
            const std::int64_t sign = by.p > 0 ? 1 : -1;
            return cells::Fraction(sign * by.q, sign * by.p) * Form(a);
          },
          nb::sig("def __truediv__(self, divisor: int | fractions.Fraction) -> Form"),
          "By a number: a form, exactly.")
      .def(
          "__truediv__", [](const Of& a, const Form& b) { return Form(a) / b; }, nb::is_operator(),
          nb::sig("def __truediv__(self, divisor: " FORM ") -> Ratio"),
          "By a form: the ratio that `nearest` and `find` look for.");
}

template <class Of>
void bind_components(nb::class_<Of, cells::Cell>& of) {
  of.def(
        "__getitem__", [](const Of& cell, std::uint32_t index) { return cell[index]; }, "index"_a,
        "Component `index`, from 0. BadInput where there is none.")
      .def(
          "__iter__",
          [](const Of& cell) {
            nb::list components;
            for (std::uint32_t i = 0; i < cell.size(); ++i) components.append(cell[i]);
            return nb::iter(components);
          },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[Component]"),
          "The components in their order.");
}

void bind_codes(nb::module_& module) {
  nb::class_<PositionCode>(module, "PositionCode",
                           "Which unit code of a position a key or pointer holds: `phi`, "
                           "`phi_over(L)`, `circle`, `two_circle`, `fine(b)`.")
      .def(
          "__eq__", [](const PositionCode& a, const PositionCode& b) { return a == b; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object) -> bool"), "The same code.")
      .def(
          "__hash__",
          [](const PositionCode& code) {
            return 1000003 * static_cast<std::size_t>(code.kind) + code.parameter;
          },
          "Equal codes have equal hashes.");
  module.attr("phi") = PositionCode::phi;
  module.attr("circle") = PositionCode::circle;
  module.attr("two_circle") = PositionCode::two_circle;
  module.def("phi_over", &PositionCode::phi_over, "L"_a,
             "phi(p / L) = (p, L) / sqrt(p^2 + L^2), L >= 1: single square roots, 2 components.");
  module.def("fine", &PositionCode::fine, "b"_a,
             "(a^2 - 1, 2a) / (a^2 + 1) with a = 2p + b, b >= 1: rational, 2 components.");
}

void bind_flag(nb::class_<cells::Flag, cells::Cell>& flag) {
  flag.def(
          "__invert__", [](const cells::Flag& f) { return !f; }, "The value \"false\".")
      .def(
          "__eq__",
          [](const cells::Flag& flag, nb::handle value) {
            return equal_to(value, [&] {
              if (!PyBool_Check(value.ptr()))
                throw InputError("the cell " + flag.name() + ": expected True or False, found " +
                                 shown(value));
              return flag == nb::cast<bool>(value);
            });
          },
          nb::is_operator(),
          nb::sig("def __eq__(self, value: object) -> Value:  # type: ignore[override]  #"),
          "The value \"true\" or \"false\".")
      .def(
          "__hash__", [](const cells::Flag& f) { return f.id(); }, "Names the cell.")
      .def(
          "__bool__", [](const cells::Flag&) -> bool { no_truth("~flag for \"false\""); },
          "TypeError: a flag is true or false at a token, not in Python.");
}

void bind_onehot(nb::module_& module) {
  nb::class_<cells::OneHot, cells::Cell>(module, "OneHot",
                                         "1 at one of its labels, 0 at the others.")
      .def(
          "__eq__",
          [](const cells::OneHot& cell, nb::handle label) {
            return equal_to(label, [&] {
              std::string name;
              if (!nb::try_cast(label, name))
                throw InputError("the cell " + cell.name() +
                                 ": expected one of its labels, as a "
                                 "str, found " +
                                 shown(label));
              return cell == name;
            });
          },
          nb::is_operator(),
          nb::sig("def __eq__(self, label: object) -> Value:  # type: ignore[override]  #"),
          "The value \"the cell has this label\". BadInput for a label that it does not have.")
      .def(
          "__hash__", [](const cells::OneHot& cell) { return cell.id(); }, "Names the cell.")
      .def(
          "__getitem__",
          [](const cells::OneHot& cell, const std::string& label) { return cell[label]; },
          "label"_a,
          "The component that is 1 at this label. BadInput for a label that it does not have.")
      .def("at", &cells::OneHot::at, "label"_a, "The value by the index of its label, from 0.")
      .def_prop_ro("labels", &cells::OneHot::labels, "Its labels in their order.");
}

void bind_kinds(nb::module_& module) {
  nb::class_<cells::Cell>(module, "Cell",
                          "A named value that every token holds. It belongs to the program that "
                          "declared it; `Program.onehot` and its siblings make one.")
      .def_prop_ro("name", &cells::Cell::name, "As it was declared.")
      .def("__len__", &cells::Cell::size, "Number of components.")
      .def(
          "__repr__", [](const cells::Cell& cell) { return "<cell " + cell.name() + ">"; },
          "Name.");

  nb::class_<cells::Value>(module, "Value",
                           "\"cell = value\": a condition of a rule, what a rule assigns, what the "
                           "embedding of a token fills.")
      .def(
          "__init__",
          [](cells::Value* value, const cells::Flag& flag) { new (value) cells::Value(flag); },
          "flag"_a, "The value \"true\".")
      .def(
          "__bool__",
          [](const cells::Value&) -> bool { no_truth("it as a condition of when(...)"); },
          "TypeError: a value is a condition on tokens, not a truth of Python's.");
  nb::class_<cells::Component> component(module, "Component", "One number of a cell.");
  nb::class_<cells::Form> form(
      module, "Form", "A linear form of a token's cells: `one / 2 - 3 * letter[\"a\"]`, exactly.");
  nb::class_<cells::Ratio>(module, "Ratio",
                           "numerator : denominator, a number that a head looks for.")
      .def(nb::init_implicit<const cells::Vector&>(), "cell"_a,
           "Of two components: the rational that they code.")
      .def("back", &cells::Ratio::back, "by"_a, "The number `by` below it.");

  nb::class_<cells::Constant, cells::Cell> constant(module, "Constant",
                                                    "The number 1 at every token.");
  nb::class_<cells::Flag, cells::Cell> flag(
      module, "Flag", "+1 (true) or -1 (false). As a value: true; `~f`: false.");
  bind_flag(flag);
  bind_onehot(module);
  nb::class_<cells::Vector, cells::Cell> vector(module, "Vector", "A cell of several numbers.");
  bind_components(vector);
  nb::class_<cells::Key, cells::Vector>(module, "Key", "The code of the token's own position.");
  nb::class_<cells::Pointer, cells::Vector>(module, "Pointer",
                                            "The code of some position not after the token.");
  nb::class_<cells::Direction, cells::Vector>(
      module, "Direction",
      "A unit vector; with 2 components also the code of a rational x, the direction of (x, 1).");
  nb::class_<cells::Number, cells::Vector> number(module, "Number", "Numbers of any size.");

  nb::implicitly_convertible<cells::Flag, cells::Value>();
  form.def(nb::init_implicit<const cells::Component&>(), "cell"_a, "The component itself.")
      .def(nb::init_implicit<const cells::Constant&>(), "cell"_a, "The number 1.")
      .def(nb::init_implicit<const cells::Flag&>(), "cell"_a, "+1 or -1.")
      .def(nb::init_implicit<const cells::Number&>(), "cell"_a, "The number, of one component.");
  bind_arithmetic(component);
  bind_arithmetic(form);
  bind_arithmetic(constant);
  bind_arithmetic(flag);
  bind_arithmetic(number);
}

}  // namespace

void bind_cells(nb::module_& module) {
  bind_codes(module);
  bind_kinds(module);
  module.def("numbered", &cells::numbered, "count"_a, "prefix"_a = "",
             "The labels PREFIX0, PREFIX1, ...: `count` of them.");
}

}  // namespace logdepth::python
