// Package compare compares a profile with a running ROS 1 system, which may be a simulator or real robots. It compares
// the topics, services and parameters, with their types, rates and values. It only observes: it subscribes for a while,
// and publishes, calls and sets nothing. Every wait is bounded; a node that does not answer in time is reported as out
// of reach.
//
//	report, err := compare.Run(ctx, node, compare.Options{Profile: p, For: 3 * time.Second})
//	for _, row := range report.Rows { fmt.Println(row.Name, row.Verdict) }
package compare
