import { QueryBudget } from '../../../../src/gateway/warming/query-budget.js';
import { TestClock } from '../../../support/test-clock.js';

describe('QueryBudget', () => {
  it('is open until the share of five minutes is spent', () => {
    const budget = new QueryBudget(0.1, new TestClock().read);
    budget.spend(29_999);
    expect(budget.isOpen).toBe(true);
    budget.spend(1);
    expect(budget.isOpen).toBe(false);
  });

  it('repays an overdraft before it opens again', () => {
    const clock = new TestClock();
    const budget = new QueryBudget(0.1, clock.read);
    budget.spend(40_000);
    clock.advance(100);
    expect(budget.isOpen).toBe(false);
    clock.advance(0.01);
    expect(budget.isOpen).toBe(true);
  });

  it('accumulates no more than the share of five minutes', () => {
    const clock = new TestClock();
    const budget = new QueryBudget(0.1, clock.read);
    clock.advance(24 * 3600);
    budget.spend(30_000);
    expect(budget.isOpen).toBe(false);
  });

  it('stays open when the clock is set back', () => {
    const clock = new TestClock();
    const budget = new QueryBudget(0.1, clock.read);
    clock.advance(-3600);
    expect(budget.isOpen).toBe(true);
  });
});
