#include <algorithm>
#include <iterator>
#include <utility>

#include "report/report.hpp"

namespace logdepth::report {

Column column(const std::string& heading, const std::string& at, const Format& format) {
  return {heading, [pointer = Data::json_pointer(at), format](const Data& row) {
            return row.contains(pointer) ? cell_text(row.at(pointer), format) : kNothing;
          }};
}

Table table_of(std::vector<std::string> names, const std::vector<Column>& columns,
               const std::vector<Row>& rows, const std::string& without_rows) {
  Table table{std::move(names)};
  table.first_number = table.headings.size();
  table.without_rows = without_rows;
  for (const Column& column : columns) table.headings.push_back(column.heading);
  for (const Row& row : rows) {
    std::vector<std::string> cells = row.names;
    for (const Column& column : columns) cells.push_back(column.cell(row.data));
    const auto first = cells.begin() + std::ssize(row.names);
    if (std::count(first, cells.end(), kNothing) < std::distance(first, cells.end()))
      table.rows.push_back(std::move(cells));
  }
  return table;
}

Table table_of(const Data& list, const std::vector<Column>& columns, std::size_t first_number) {
  std::vector<Row> rows;
  for (const Data& item : list) rows.push_back({{}, item});
  Table table = table_of({}, columns, rows);
  table.first_number = first_number;
  return table;
}

std::vector<Row> rows_where(const std::vector<Row>& rows,
                            const std::function<bool(const Data& row)>& holds) {
  std::vector<Row> found;
  std::ranges::copy_if(rows, std::back_inserter(found), holds, &Row::data);
  return found;
}

}  // namespace logdepth::report
