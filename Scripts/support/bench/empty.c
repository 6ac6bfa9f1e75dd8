// The reference of B7: does nothing, but is linked with the shared libraries of lull.
int main(void) { return 0; }
