/** `orders.by-day` as an identifier: `ordersByDay`. A name that begins with a digit gets the prefix `endpoint`. */
export function camelName(name: string): string {
  const camel = name.replaceAll(/[.-]([a-z0-9])/g, (_, first: string) => first.toUpperCase());
  return /^\d/.test(camel) ? `endpoint${camel}` : camel;
}

/** `orders.by-day` as the name of a type: `OrdersByDay`. */
export function pascalName(name: string): string {
  const camel = camelName(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}
