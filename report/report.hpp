#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "report/criterion.hpp"
#include "report/data.hpp"
#include "report/picture.hpp"

namespace logdepth::report {

// A report is data and a page of blocks that show it. Texts are Markdown within a line: **bold**,
// `code`; what is of any origin goes through markdown_text.

struct Heading {
  std::string text;
  int level = 2;
};
/// A paragraph.
struct Prose {
  std::string text;
};
struct List {
  std::vector<std::string> items;
};
struct Table {
  std::vector<std::string> headings;
  std::size_t first_number = std::string::npos;  ///< columns from here on are set to the right
  std::vector<std::vector<std::string>> rows = {};
  std::string without_rows =
      {};  ///< said instead of a table without rows; empty: the headings stay
};
struct Criteria {
  std::vector<Criterion> criteria;
  std::string seeds_are;  ///< how seeds became one number: "median"
};
/// A picture of the report, by its file.
struct Figure {
  std::string file, meaning;
};
using Block = std::variant<Heading, Prose, List, Table, Criteria, Figure>;

struct File {
  std::string name;  ///< without a folder
  std::string text;
};

struct Report {
  std::string name;  ///< of its files: NAME.md
  std::string title;
  std::vector<Block> blocks = {};
  Data data = {};                   ///< NAME.json
  std::vector<File> pictures = {};  ///< as SVG

  template <class Part>
  Report& add(Part block) {
    blocks.emplace_back(std::move(block));
    return *this;
  }
  Report& add(const std::string& paragraph) { return add(Prose{paragraph}); }
  Report& add(const char* paragraph) { return add(Prose{paragraph}); }
  Report& add_picture(const Picture& picture) {
    pictures.push_back({picture.file, picture_svg(picture)});
    return *this;
  }
};

std::string markdown(const Report& report);
/// A page by itself, pictures in it. `style`: what it adds to the looks that all pages share.
std::string html(const Report& report, const std::string& style = "");
/// One JSON object, ended by a newline.
std::string json(const Report& report);

/// NAME.md, NAME.json and the pictures. The same report gives the same bytes.
std::vector<File> files_of(const Report& report);

// --- tables of data ------------------------------------------------------------------------------

/// What a table has a row for: how it begins, and the data that the columns show.
struct Row {
  std::vector<std::string> names;
  Data data;
};
struct Column {
  std::string heading;
  std::function<std::string(const Data& row)> cell;
};
/// Shows what is at this JSON pointer; kNothing where nothing is.
Column column(const std::string& heading, const std::string& at, const Format& format = {});
/// Rows that have nothing in any column are left out.
Table table_of(std::vector<std::string> names, const std::vector<Column>& columns,
               const std::vector<Row>& rows, const std::string& without_rows = "");
/// A table of data alone, a row for each item of a list; columns from `first_number` on are numbers.
Table table_of(const Data& list, const std::vector<Column>& columns, std::size_t first_number);
/// The rows of which this holds.
std::vector<Row> rows_where(const std::vector<Row>& rows,
                            const std::function<bool(const Data& row)>& holds);

}  // namespace logdepth::report
