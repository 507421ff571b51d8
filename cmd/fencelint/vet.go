package main

func vet(args []string) {}
