"""The regression table: rules that predict a number, beside other learners."""
