/* SPDX-License-Identifier: MIT */
#ifndef SLOWFS_H
#define SLOWFS_H

/* slowfs: file systems of other machines, in whose files no buffer is mapped: a page that is written there may
 * block, or come late. */

#include <stddef.h>
#include <stdint.h>
#include <sys/vfs.h>

/* Its name; NULL: it is none of them. */
static inline const char *
slowfs_name(const struct statfs *fs)
{
	static const struct {
		uint32_t magic;
		const char *name;
	} slow[] = {
		{ 0x6969, "NFS" },
		{ 0x0bd00bd0, "Lustre" },
		{ 0x65735546, "FUSE" },
		{ 0x47504653, "GPFS" },
		{ 0x19830326, "BeeGFS" },
		{ 0x00c36400, "Ceph" },
		{ 0x01021997, "9P" },
		{ 0x0000517b, "SMB" },
		{ 0xfe534d42, "SMB" },
		{ 0xff534d42, "SMB" },
		{ 0xaad7aaea, "PanFS" },
		{ 0x5346414f, "AFS" },
	};
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		if ((uint32_t)fs->f_type == slow[i].magic)
			return slow[i].name;
	return NULL;
}

#endif
