package integration

const roleVariable = "FENCE_TEST_ROLE"

func child(role string) int { return 2 }
