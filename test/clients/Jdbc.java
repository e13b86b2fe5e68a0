import java.sql.*;
import java.util.*;

/** Prints what JDBC gets of a gateway, a line for each fact. Arguments: its URL, and the keys of a tool, of a shop, and with a limit. */
public class Jdbc {
  private interface Step {
    void run() throws SQLException;
  }

  private static Connection connect(String url, String key) throws SQLException {
    return DriverManager.getConnection("jdbc:clickhouse:" + url + "/querygate", "anyone", key);
  }

  private static void print(String fact, ResultSet rows, String... columns) throws SQLException {
    while (rows.next()) {
      StringJoiner line = new StringJoiner(" | ");
      if (columns.length > 0) for (String column : columns) line.add(String.valueOf(rows.getObject(column)));
      else for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) line.add(String.valueOf(rows.getObject(i)));
      if (fact != null) System.out.println(fact + ": " + line);
    }
  }

  private static void printError(String fact, Step step) {
    try {
      step.run();
      System.out.println(fact + ": none");
    } catch (SQLException error) {
      System.out.println(fact + ": " + error.getErrorCode());
    }
  }

  public static void main(String[] args) throws Exception {
    Connection connection = connect(args[0], args[1]);
    DatabaseMetaData metadata = connection.getMetaData();
    print("schema", metadata.getSchemas(), "TABLE_SCHEM");
    print("table", metadata.getTables(null, "querygate", "%", null), "TABLE_NAME", "TABLE_TYPE", "REMARKS");
    String[] ofColumn = {"COLUMN_NAME", "TYPE_NAME", "DATA_TYPE", "COLUMN_SIZE", "DECIMAL_DIGITS", "NULLABLE", "REMARKS"};
    print("column", metadata.getColumns(null, "querygate", "shop_orders", "%"), ofColumn);
    print("primary key", metadata.getPrimaryKeys(null, "querygate", "shop_orders"));

    String filtered = "SELECT n, price FROM shop_orders(shop = 'harbour') WHERE city = ?";
    try (PreparedStatement prepared = connection.prepareStatement(filtered)) {
      ResultSetMetaData columns = prepared.getMetaData();
      for (int i = 1; i <= columns.getColumnCount(); i++)
        System.out.println("prepared: " + columns.getColumnName(i) + " " + columns.getColumnClassName(i));
    }
    String select = "SELECT * FROM shop_orders(shop = ?) WHERE n >= ? ORDER BY n";
    try (PreparedStatement prepared = connection.prepareStatement(select)) {
      ResultSetMetaData columns = prepared.getMetaData();
      System.out.println("not executed: " + columns.getColumnCount() + " " + columns.getColumnName(1));
      prepared.setString(1, "harbour");
      prepared.setInt(2, 1);
      print("row", prepared.executeQuery());
      prepared.setMaxRows(1);
      print("first row", prepared.executeQuery());
      prepared.setString(1, "o'hara\\");
      print("no row", prepared.executeQuery());
    }
    print("of shop", connect(args[0], args[2]).createStatement().executeQuery("SELECT n FROM querygate.shop_orders ORDER BY n"));

    Statement statement = connection.createStatement();
    printError("unknown table", () -> statement.executeQuery("SELECT * FROM nowhere"));
    printError("syntax", () -> statement.executeQuery("SELECT FROM WHERE"));
    printError("refused", () -> statement.execute("DROP TABLE shop_orders"));
    printError("in the stream", () -> print(null, statement.executeQuery("SELECT number, intDiv(1, number - 900000) FROM numbers(900001)")));
    printError("unknown key", () -> connect(args[0], "qg_unknown").createStatement().executeQuery("SELECT 1"));
    printError("limit", () -> {
      Connection limited = connect(args[0], args[3]);
      for (int i = 0; i < 9; i++) limited.createStatement().executeQuery("SELECT " + i);
    });
    Thread running = new Thread(() -> printError("cancelled", () -> statement.executeQuery(args[4])));
    running.start();
    System.out.println("running");
    System.in.read();
    statement.cancel();
    running.join();
  }
}
