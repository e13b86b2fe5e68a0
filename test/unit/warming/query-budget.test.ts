import { QueryBudget } from '../../../src/warming/query-budget.js';
import { TestClock } from '../../support/test-clock.js';

describe('the budget of queries', () => {
  it('is open until five minutes’ share is spent at once', () => {
    const budget = new QueryBudget(0.1, new TestClock().read);
    budget.spend(29_999);
    expect(budget.isOpen).toBe(true);
    budget.spend(1);
    expect(budget.isOpen).toBe(false);
  });

  it('pays back an overdraft before it opens again', () => {
    const clock = new TestClock();
    const budget = new QueryBudget(0.1, clock.read);
    budget.spend(40_000);
    clock.advance(100);
    expect(budget.isOpen).toBe(false);
    clock.advance(0.01);
    expect(budget.isOpen).toBe(true);
  });

  it('saves no more than five minutes’ share, however long nothing is spent', () => {
    const clock = new TestClock();
    const budget = new QueryBudget(0.1, clock.read);
    clock.advance(24 * 3600);
    budget.spend(30_000);
    expect(budget.isOpen).toBe(false);
  });

  it('is not spent by a clock that is set back', () => {
    const clock = new TestClock();
    const budget = new QueryBudget(0.1, clock.read);
    clock.advance(-3600);
    expect(budget.isOpen).toBe(true);
  });
});
