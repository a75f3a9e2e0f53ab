// Package compare holds a profile against a running ROS 1 system, whichever simulator and nodes it is of: which topics,
// services and parameters the profile expects, of which types, at which rates and with which values, and what is there.
// It looks on: it subscribes for a while, and publishes, calls and sets nothing. What does not answer is said to be out
// of reach; every wait is bounded.
//
//	report, err := compare.Run(ctx, node, compare.Options{Profile: p, For: 3 * time.Second})
//	for _, row := range report.Rows { fmt.Println(row.Name, row.Verdict) }
package compare
