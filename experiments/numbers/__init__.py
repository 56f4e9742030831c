"""Numbers: how well the default rules of LogicRegressor predict, beside other learners."""
