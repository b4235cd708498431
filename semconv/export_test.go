// SPDX-License-Identifier: Apache-2.0

package semconv

// The embedded files are one file system; tests add targets to another.
var (
	TargetsIn = targets
	LoadFrom  = load
)
