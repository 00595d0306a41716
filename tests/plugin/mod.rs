mod count;
