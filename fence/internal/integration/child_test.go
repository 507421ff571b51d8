package integration

// roleVariable tells a re-executed test binary what it is to do.
const roleVariable = "FENCE_TEST_ROLE"

func child(role string) int { return 1 }
