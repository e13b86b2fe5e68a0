// Prints what clickhouse-go gets of a gateway over HTTP, a line for each fact. Arguments: its URL, and the keys of a
// tool, of a shop, and with a limit. Grafana's plugin opens its connections so.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
)

func open(address string, key string, compression *clickhouse.Compression) *sql.DB {
	parsed, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return clickhouse.OpenDB(&clickhouse.Options{
		Addr:        []string{parsed.Host},
		Protocol:    clickhouse.HTTP,
		Compression: compression,
		Auth:        clickhouse.Auth{Database: "querygate", Username: "anyone", Password: key},
	})
}

func read(ctx context.Context, db *sql.DB, fact string, query string, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, _ := rows.ColumnTypes()
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		texts := make([]string, len(values))
		for i, value := range values {
			if text, ok := value.(*string); ok && text != nil {
				value = *text
			}
			texts[i] = fmt.Sprint(value)
		}
		if fact != "" {
			fmt.Println(fact + ": " + strings.Join(texts, " | "))
		}
	}
	return rows.Err()
}

func printError(fact string, err error) {
	var exception *clickhouse.Exception
	switch {
	case err == nil:
	case errors.As(err, &exception):
		fmt.Printf("%s: %d\n", fact, exception.Code)
	case errors.Is(err, context.Canceled):
		fmt.Println(fact + ": by the client")
	default:
		fmt.Println(fact+":", err)
	}
}

func main() {
	ctx := context.Background()
	address := os.Args[1]
	for name, compression := range map[string]*clickhouse.Compression{
		"lz4":  {Method: clickhouse.CompressionLZ4},
		"zstd": {Method: clickhouse.CompressionZSTD},
		"gzip": {Method: clickhouse.CompressionGZIP, Level: 5},
	} {
		printError("row in "+name, read(ctx, open(address, os.Args[2], compression), "row in "+name,
			"SELECT * FROM shop_orders(shop = {shop:String}) LIMIT 1", clickhouse.Named("shop", "harbour")))
	}
	db := open(address, os.Args[2], nil)
	for _, query := range []string{
		"SHOW DATABASES",
		`SHOW TABLES FROM "querygate"`,
		`DESC TABLE "querygate"."shop_orders"`,
		"SELECT toBool(count() > 1000) FROM system.functions",
		"SELECT name FROM system.columns WHERE table = 'shop_types' SETTINGS max_execution_time=10",
	} {
		printError("metadata", read(ctx, db, "metadata", query))
	}
	printError("row", read(ctx, db, "row", "SELECT * FROM shop_orders(shop = ?) WHERE n >= ? ORDER BY n", "harbour", 1))
	printError("of shop", read(ctx, open(address, os.Args[3], nil), "of shop", "SELECT n FROM shop_orders ORDER BY n"))
	printError("unknown table", read(ctx, db, "", "SELECT * FROM nowhere"))
	printError("syntax", read(ctx, db, "", "SELECT FROM WHERE"))
	_, err := db.Exec("DROP TABLE shop_orders")
	printError("refused", err)
	printError("in the stream", read(ctx, db, "", "SELECT number, intDiv(1, number - 900000) FROM numbers(900001)"))
	printError("unknown key", open(address, "qg_unknown", nil).Ping())
	limited := open(address, os.Args[4], nil)
	for err = nil; err == nil; {
		err = read(ctx, limited, "", "SELECT 1")
	}
	printError("limit", err)
	cancelled, cancel := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- read(cancelled, db, "", os.Args[5]) }()
	fmt.Println("running")
	bufio.NewReader(os.Stdin).ReadByte()
	cancel()
	printError("cancelled", <-ended)
}
