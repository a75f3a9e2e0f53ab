package main

import (
	"encoding"
	"reflect"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// negative matches the start of a negative number or duration.
var negative = regexp.MustCompile(`^-\.?[0-9]`)

// joinNegatives turns the arguments "--flag -1" into the argument "--flag=-1". Otherwise kong would take -1 for a flag,
// because it starts with a hyphen. No flag of omnipitch starts with a digit.
func joinNegatives(args []string) []string {
	joined := make([]string, 0, len(args))
	for i, arg := range args {
		if arg == "--" {
			return append(joined, args[i:]...)
		}
		if n := len(joined); n > 0 && negative.MatchString(arg) && strings.HasPrefix(joined[n-1], "--") &&
			!strings.Contains(joined[n-1], "=") {
			joined[n-1] += "=" + arg
			continue
		}
		joined = append(joined, arg)
	}
	return joined
}

// textMapper returns a mapper that decodes the value of a flag with the method UnmarshalText of the flag's type. If the
// type is a pointer, the method is that of the type it points to. name is the name of the value in error messages.
func textMapper(name string) kong.Mapper {
	return kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		token, err := ctx.Scan.PopValue(name)
		if err != nil {
			return err
		}
		if target.Kind() == reflect.Pointer {
			target.Set(reflect.New(target.Type().Elem()))
			target = target.Elem()
		}
		return target.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(token.String()))
	})
}
