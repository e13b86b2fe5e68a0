/** Address, user and database of a ClickHouse server. */
export interface ClickHouseConnection {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}
