// Package encode writes Go structs as TOML that package schema can read into the same structs. It uses the keys, units
// and ranges in the tags that schema uses. It writes defaults too. It writes each number with the digits that restore
// the same value.
//
//	for _, line := range encode.Lines(&cfg) {
//		fmt.Println(line.Text) // fov_deg = 90
//	}
//
// It leaves out what a file cannot contain: empty texts, nil pointers, and numbers that violate the rules of their
// keys.
package encode
