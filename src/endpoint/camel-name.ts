/** `orders.by-day` as an identifier: `ordersByDay`, of `orders.by-day@2` `ordersByDayV2`. A name that begins with a digit gets the prefix `endpoint`. */
export function camelName(name: string): string {
  const camel = name
    .replace('@', '.v')
    .replaceAll(/[.-]([a-z0-9])/g, (_, first: string) => first.toUpperCase());
  return /^\d/.test(camel) ? `endpoint${camel}` : camel;
}

/** `orders.by-day` as the name of a type: `OrdersByDay`. */
export function pascalName(name: string): string {
  const camel = camelName(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}
