// The reference of B7: does nothing, but has the shared libraries of lull.
int main(void) { return 0; }
